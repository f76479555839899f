"""``memguard bench grounding``: how well elimination tells supported claims from drifted ones.

Sets that people labelled, the handed elimination cases and the drift claims of the samples, each
beside two floors, and row by row with and without each part.
"""
