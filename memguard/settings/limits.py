"""What input is accepted."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting


@dataclass(frozen=True)
class LimitSettings(Section):
    """What input is accepted."""

    file_mb: int = setting(
        50,
        "Largest file",
        "A larger transcript is refused; of an export that holds many conversations, this is the largest "
        "conversation.",
        low=1,
        high=10_000,
        unit="MiB",
    )
    archive_files: int = setting(
        20_000, "Most files of an archive", "A ZIP archive with more is refused.", low=1, high=1_000_000
    )
    archive_mb: int = setting(
        200,
        "Largest archive, unpacked",
        "An archive of which more than this would have to be unpacked is refused.",
        low=1,
        high=10_000,
        unit="MiB",
    )
    archive_ratio: int = setting(
        200,
        "Most that a file of an archive may grow",
        "A file of an archive that unpacks to more than this many times its packed size is refused.",
        low=2,
        high=10_000,
        unit="times",
    )
    json_levels: int = setting(
        100, "Deepest JSON", "JSON that is nested deeper is refused.", low=5, high=300, unit="levels"
    )
