"""`python -m tracemill.reference` writes the generated documents."""

import sys

from tracemill.reference.documents import main

raise SystemExit(main(sys.argv[1:]))
