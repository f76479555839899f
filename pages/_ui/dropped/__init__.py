"""What the Dropped claims page alone draws."""
