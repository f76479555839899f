"""Vectors: similarity, relevance, selection and the map."""
