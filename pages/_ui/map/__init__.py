"""What the Embedding map page alone draws."""
