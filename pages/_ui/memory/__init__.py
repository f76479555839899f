"""What the Memory page alone draws."""
