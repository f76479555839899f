"""What the Drift lab page alone draws."""
