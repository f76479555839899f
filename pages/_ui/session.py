"""What one browser session holds: plain data, which ``state`` alone changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Literal

from memguard.errors import MemGuardError
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import Trace
from memguard.transcripts import ConversationHead, TablePreview

N_STAGES = 3
Wanted = Literal["step", "finish"]
View = Literal["map", "scores"]
Show = Literal["stages", "compare"]
VIEWS: tuple[View, ...] = ("map", "scores")
SHOWS: tuple[Show, ...] = ("stages", "compare")
"""What the Pipeline page shows below its stages: their results, or without and with MemGuard."""


@dataclass(frozen=True)
class Source:
    """Where the conversation came from; ``sample`` is a sample's name, or ``OWN``."""

    sample: str
    title: str
    description: str


@dataclass
class Playing:
    """Where the playing of a run is: one sub-step after another, each for a beat.

    Attributes:
        stage: The stage that is shown step by step, from 0; those before it are shown whole.
        beat: How many of its sub-steps are shown.
        paused: Whether it stands still.
        due: When the next sub-step comes, on the monotonic clock.
    """

    stage: int = 0
    beat: int = 1
    paused: bool = False
    due: float = 0.0

    def begin(self, stage: int, now: float, beat_s: float) -> None:
        """Show the first sub-step of a stage."""
        self.stage, self.beat, self.due = stage, 1, now + beat_s

    def is_due(self, now: float) -> bool:
        """Return whether the next sub-step is to be shown."""
        return not self.paused and now >= self.due


@dataclass
class Reading:
    """A transcript that is being read off the page's path."""

    title: str
    conversation: Future[Conversation | Offer | TableOffer]
    since: float


@dataclass(frozen=True)
class Offer:
    """A file of the person's own that holds several conversations, of which one is to be chosen.

    Attributes:
        title: What the file is called.
        heads: What it holds, in its order.
        read: Reads the conversation of an id or of a one-based position.
    """

    title: str
    heads: tuple[ConversationHead, ...]
    read: Callable[[str], Conversation]


@dataclass(frozen=True)
class TableOffer:
    """A table of the person's own, of which a person should say which column is what.

    Attributes:
        title: What the file is called.
        preview: Its columns and first rows, and why there is a doubt.
        read: Reads it with columns by kind, or as it is where there are none.
    """

    title: str
    preview: TablePreview
    read: Callable[[Mapping[str, str]], Conversation | Offer]


@dataclass
class Session:
    """The state of one browser session.

    Attributes:
        settings: What the next stage will use; the trace's own once there is one.
        source: Where the conversation came from.
        trace: How far it is.
        wanted: Work that a button or the link asked for and the page has still to do.
        until: How many stages ``finish`` runs.
        opening: Whether that work is what the link asked for.
        asked: The claim that the link selects, until it is known whether there is one.
        error: What went wrong last, for the page to show.
        fault: A bug that ended the work, for the page to raise once.
        notice: What a change has reset, for the page to show once.
        selected: The claim whose evidence is lit up.
        turn: How many choices of a claim the results have reported; an answer says which it has heard.
        view: Which picture of the claims is shown, the map or the scores.
        show: What the Pipeline page shows below its stages.
        playing: Where the playing of the run is, if it is played.
        reading: The transcript that is being read, if one is.
        offer: The file of which a conversation or the columns are to be chosen, if there is one.
        opened: Whether the link was read.
        epoch: How often the values behind widgets were set by something else than the widget.
    """

    settings: Settings = field(default_factory=Settings)
    source: Source | None = None
    trace: Trace | None = None
    wanted: Wanted | None = None
    until: int = N_STAGES
    opening: bool = False
    asked: str | None = None
    error: MemGuardError | None = None
    fault: Exception | None = None
    notice: str | None = None
    selected: str | None = None
    turn: int = 0
    view: View = "map"
    show: Show = "stages"
    playing: Playing | None = None
    reading: Reading | None = None
    offer: Offer | TableOffer | None = None
    opened: bool = False
    epoch: int = 0
