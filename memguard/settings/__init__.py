"""Every default, bound, unit and help text, once.

One frozen class a stage, each in a module of its own. Command-line flags and sliders are generated
from the field metadata; no other module holds a default. ``Settings.from_toml`` reads a file such as::

    [elimination]
    min_similarity = 0.65

A new section is a ``Section`` in a module of its own here. A section of a run is then a field of ``Settings``
(``run.py``), from which files, flags and sliders know it; one that belongs to no run (``memory.py``) is
named here alone.
"""

from memguard.bounds import Bounds as Bounds
from memguard.bounds import Section as Section
from memguard.bounds import bounds_of as bounds_of
from memguard.bounds import checked_value as checked_value
from memguard.bounds import setting as setting
from memguard.settings.compression import CompressionSettings as CompressionSettings
from memguard.settings.compression import listed as listed
from memguard.settings.elimination import EliminationSettings as EliminationSettings
from memguard.settings.elimination import threshold as threshold
from memguard.settings.limits import LimitSettings as LimitSettings
from memguard.settings.memory import MemorySettings as MemorySettings
from memguard.settings.privacy import PrivacySettings as PrivacySettings
from memguard.settings.projection import ProjectionSettings as ProjectionSettings
from memguard.settings.reconstruction import ReconstructionSettings as ReconstructionSettings
from memguard.settings.reconstruction import RetentionSettings as RetentionSettings
from memguard.settings.run import Settings as Settings
from memguard.settings.run import setting_kinds as setting_kinds
from memguard.settings.run import setting_names as setting_names
