r"""The project's own list of what must not leave.

``.memguard-privacy.yaml``::

terms: ["Project Borealis"]        # any case, whole words
patterns: ['ACME-\\d{4}']           # RE2: no lookaround, no back-reference, so no text makes it slow
paths: ["secrets/**", "*.pem"]     # a path in a text is replaced; a source under it is left out
names: ["Noor Haddad"]             # persons to replace
let_through: [ip_address, person]  # kinds or categories that stay as they are
allow: ["support@acme.example"]    # values that stay as they are
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memguard.errors import SettingsError
from memguard.privacy.findings import Category, Kind, PrivacyFinding
from memguard.privacy.patterns import find, linear, places_of

FILE_NAME = ".memguard-privacy.yaml"
_LARGEST = 1 << 20  # bytes
_PATH = re.compile(r"(?<![\w./\\~@+-])[\w./\\~@+:-]{1,1024}")


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What a project adds to the detectors, and what it lets through.

    Attributes:
        terms: Literal texts, found in any case as whole words.
        patterns: RE2 patterns.
        paths: Globs; ``**`` crosses folders.
        names: Persons, each word of which is replaced where it is capitalised.
        let_through: Kinds and categories that are not replaced.
        allow: Values that are not replaced, compared without case.

    Raises:
        SettingsError: A pattern that RE2 does not take, or a kind that does not exist.
    """

    terms: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    let_through: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every entry, so that a wrong list fails when it is read and not when a secret passes."""
        import re2

        for pattern in self.patterns:
            try:
                compiled = linear(pattern)
            except re2.error as error:
                reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
                raise SettingsError(
                    f"patterns: {pattern!r} is not a pattern that RE2 takes ({reason}); lookarounds and "
                    "back-references are not allowed, because they can take for ever on some texts"
                ) from error
            if compiled.fullmatch(""):
                raise SettingsError(
                    f"patterns: {pattern!r} matches the empty text, so it names nothing to replace"
                )
        known = {*Kind, *Category}
        for name in self.let_through:
            if name not in known:
                raise SettingsError(
                    f"let_through: there is no kind or category {name!r}; known: {', '.join(sorted(known))}"
                )

    @classmethod
    def from_yaml(cls, path: str | Path) -> Exclusions:
        """Read a list.

        Raises:
            SettingsError: The file cannot be read, is not YAML, or holds what is not known.
        """
        import yaml

        try:
            raw = Path(path).read_bytes()
            if len(raw) > _LARGEST:
                raise SettingsError(f"{path}: larger than {_LARGEST} bytes, which no exclusion list is")
            return cls.from_dict(yaml.safe_load(raw.decode("utf-8-sig")) or {})
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            raise SettingsError(f"{path}: not a YAML file in UTF-8 ({error})") from error
        except SettingsError as error:
            raise SettingsError(
                str(error) if str(error).startswith(f"{path}: ") else f"{path}: {error}"
            ) from error

    @classmethod
    def from_dict(cls, raw: Any) -> Exclusions:
        """Read a list that was parsed already.

        Raises:
            SettingsError: It is not a table of lists of texts, or a key is not known.
        """
        known = [item.name for item in fields(cls)]
        if not isinstance(raw, Mapping):
            raise SettingsError(
                f"an exclusion list must be a table with the keys {', '.join(known)}; "
                f"got {type(raw).__name__}"
            )
        for key, values in raw.items():
            if key not in known:
                raise SettingsError(f"there is no key {key!r}; known: {', '.join(known)}")
            if not isinstance(values, list | tuple) or not all(
                isinstance(value, str) and value.strip() for value in values
            ):
                raise SettingsError(f"{key} must be a list of texts that are not blank; got {values!r}")
        return cls(**{key: tuple(values) for key, values in raw.items()})

    @classmethod
    def near(cls, folder: str | Path) -> Exclusions:
        """Read the list of ``folder`` or of the nearest folder above it; an empty one where there is none.

        Raises:
            SettingsError: As ``from_yaml``.
        """
        start = Path(folder).resolve()
        for place in (start, *start.parents):
            if (place / FILE_NAME).is_file():
                return cls.from_yaml(place / FILE_NAME)
        return cls()

    def excludes_path(self, path: str) -> bool:
        """Tell whether a source under this path is left out altogether."""
        plain = path.replace("\\", "/").removeprefix("./")
        return any(linear(_glob(glob)).fullmatch(plain) is not None for glob in self.paths)

    def lets_through(self, finding: PrivacyFinding, value: str) -> bool:
        """Tell whether what was found stays as it is: its kind, its category or its value is let through."""
        named = {finding.kind.value, finding.category.value} & set(self.let_through)
        return bool(named) or value.casefold() in {allowed.casefold() for allowed in self.allow}

    def find(self, text: str) -> Iterator[PrivacyFinding]:
        """Yield the terms, patterns and paths of the list in a text."""
        if self.terms:
            for start, end in places_of(self.terms, text, ignore_case=True):
                if _is_whole(text, start, end):
                    yield PrivacyFinding((start, end), Kind.TERM, 1.0, "exclusion-term")
        for pattern in self.patterns:
            for span in find(linear(pattern), text):
                yield PrivacyFinding(span, Kind.TERM, 1.0, "exclusion-pattern")
        if self.paths:
            for match in _PATH.finditer(text):
                written = match.group().rstrip(".")
                if written and self.excludes_path(written):
                    span = match.start(), match.start() + len(written)
                    yield PrivacyFinding(span, Kind.PATH, 1.0, "exclusion-path")


def _is_whole(text: str, start: int, end: int) -> bool:
    def word(index: int) -> bool:
        return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")

    return not (word(start - 1) and word(start)) and not (word(end) and word(end - 1))


def _glob(glob: str) -> str:
    """Return the RE2 pattern of a glob; one without a slash fits a name in any folder."""
    import re2

    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(parts.get(piece, re2.escape(piece)) for piece in _split(glob.replace("\\", "/")))
    return body if "/" in glob else f"(?:.*/)?{body}"


def _split(glob: str) -> Iterable[str]:
    return re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob)
