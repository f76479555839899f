"""What the page Threshold tuning alone draws."""
