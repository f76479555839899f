"""Figures as return values: plain values or a ``Trace`` in, a plotly figure out, and its text equivalent.

None of it knows streamlit, and no chat text in a figure is interpreted.
"""

from memguard.charts.curves import describe_rates, describe_sweep, percent, rates_chart, sweep_chart
from memguard.charts.embedding import describe_embedding_map, embedding_map
from memguard.charts.histogram import describe_histogram, score_histogram
from memguard.charts.lineage import (
    LineageEntry,
    Replacement,
    describe_lineage,
    lineage_chart,
    lineage_height,
)
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
from memguard.charts.retention import (
    CLASS_NAMES,
    class_chart,
    describe_classes,
    describe_retention,
    retention_chart,
)
from memguard.charts.scores import describe_score_chart, score_chart
from memguard.charts.style import counted

__all__ = [
    "CLASS_NAMES",
    "LineageEntry",
    "MapLink",
    "MapPoint",
    "Replacement",
    "claim_key",
    "class_chart",
    "counted",
    "describe_classes",
    "describe_embedding_map",
    "describe_histogram",
    "describe_lineage",
    "describe_rates",
    "describe_retention",
    "describe_score_chart",
    "describe_sweep",
    "embedding_map",
    "lineage_chart",
    "lineage_height",
    "map_points",
    "map_sources",
    "map_targets",
    "percent",
    "rates_chart",
    "read_key",
    "retention_chart",
    "score_chart",
    "score_histogram",
    "source_key",
    "sweep_chart",
    "verdict_meaning",
]
