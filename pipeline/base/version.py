"""Version of Tracemill, which manifests and reports carry."""

VERSION = "0.1.0"
