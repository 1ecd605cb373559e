"""Pictures of reports as SVG text: from numbers, without knowing where these come from."""
