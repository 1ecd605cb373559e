"""Query files: headers, parameters, inputs, conditions, and SQL errors in plain words."""
