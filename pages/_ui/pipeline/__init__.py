"""What the Pipeline page alone draws."""
