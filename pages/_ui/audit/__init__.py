"""What the Audit page alone draws."""
