"""Training: small models made from permissive pairs and from dialogues, reproducible by anybody.

Needs torch, which is imported inside the functions that train.
"""
