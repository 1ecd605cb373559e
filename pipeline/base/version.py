"""Version of Tracemill, which manifests and reports carry."""

VERSION = "0.2.0"
