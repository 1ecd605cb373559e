"""Reference documents, generated from declarations and command help."""
