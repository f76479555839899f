"""Grounding: claims, where they are supported, and what is said of them."""
