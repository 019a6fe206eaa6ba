"""Sources, spans, diagnostics and limits: the ground floor."""
