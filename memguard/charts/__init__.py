"""Figures as return values: plain values or a ``Trace`` in, a plotly figure out, and its text equivalent.

None of it knows streamlit, and no chat text in a figure is interpreted.
"""

from memguard.charts.embedding import describe_embedding_map, embedding_map
from memguard.charts.points import (
    MapLink,
    MapPoint,
    claim_key,
    map_points,
    map_sources,
    map_targets,
    read_key,
    source_key,
    verdict_meaning,
)
from memguard.charts.stages import (
    describe_relevance_chart,
    describe_token_gauge,
    relevance_chart,
    token_gauge,
)
from memguard.charts.strip import describe_similarity_strip, similarity_strip

__all__ = [
    "MapLink",
    "MapPoint",
    "claim_key",
    "describe_embedding_map",
    "describe_relevance_chart",
    "describe_similarity_strip",
    "describe_token_gauge",
    "embedding_map",
    "map_points",
    "map_sources",
    "map_targets",
    "read_key",
    "relevance_chart",
    "similarity_strip",
    "source_key",
    "token_gauge",
    "verdict_meaning",
]
