"""Models: where weights come from, and the embedder, summarizers and token counters over them.

Nothing is re-exported here, so that importing one module costs only that module.
"""
