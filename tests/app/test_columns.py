"""The form that asks which column of a table is what."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.trace import Trace
from memguard.transcripts import TablePreview
from pages._ui.pipeline import columns
from tests.app.conftest import html, paste

GERMAN = (
    "Wann;Wer;Nachricht;Kanal\n"
    "2026-03-01 10:00;Ana;Die Kaution beträgt 400 Euro.;a\n"
    "2026-03-01 10:05;Ben;Ich habe sie bezahlt :smile: $4$.;b\n"
)
ODD = "Wann;<b>Wer</b>;Nach*richt\n10;Ana;hi\n11;Ben;ho\n"


def box(at: AppTest, kind: str) -> Any:
    return next(w for w in at.selectbox if w.key and w.key.rpartition(":")[0] == f"column_{kind}")


def go(at: AppTest) -> Any:
    return at.button(key="columns_go")


def trace_of(at: AppTest) -> Trace:
    trace = at.session_state["memguard"].trace
    assert isinstance(trace, Trace)
    return trace


def upload(at: AppTest, text: str, name: str = "chat.csv") -> AppTest:
    return at.file_uploader(key="upload").set_value((name, text.encode(), "text/csv")).run()


def is_offered(at: AppTest) -> bool:
    return any(button.key == "columns_go" for button in at.button)


def test_of_a_table_of_unknown_names_the_columns_are_asked_for(app: AppTest) -> None:
    """Issue 7: CSV with chosen columns, in the app too."""
    upload(app, GERMAN)

    assert not app.exception
    assert "Which column of" in html(app)
    assert "The header has no names that are known." in html(app)
    assert "Customer support" in html(app)  # what was open stays
    shown = app.dataframe[0].value
    assert list(shown.columns) == ["Wann", "Wer", "Nachricht", "Kanal"]
    assert shown["Nachricht"][0] == "Die Kaution beträgt 400 Euro."
    assert go(app).disabled
    assert any("Choose a column for: What is said" in caption.value for caption in app.caption)

    box(app, "text").set_value("Nachricht").run()
    box(app, "speaker").set_value("Wer").run()
    box(app, "time").set_value("Wann").run()
    assert not go(app).disabled
    go(app).click().run()

    assert not app.exception
    assert [(m.speaker, m.content) for m in trace_of(app).conversation] == [
        ("Ana", "Die Kaution beträgt 400 Euro."),
        ("Ben", "Ich habe sie bezahlt :smile: $4$."),
    ]
    assert all(m.timestamp is not None for m in trace_of(app).conversation)
    assert not is_offered(app)
    assert "chat.csv" in html(app)


def test_a_column_is_one_thing_only(app: AppTest) -> None:
    upload(app, GERMAN)
    box(app, "text").set_value("Nachricht").run()
    box(app, "speaker").set_value("Nachricht").run()

    assert go(app).disabled
    assert any("one thing only: Nachricht" in caption.value for caption in app.caption)


def test_a_row_may_be_a_question_and_its_answer(app: AppTest) -> None:
    upload(app, "Frage;Antwort\nWas kostet es?;Neun Euro.\n")
    kinds = [w for w in app.segmented_control if w.key and w.key.rpartition(":")[0] == "row_kind"]
    kinds[0].set_value("pair").run()
    box(app, "prompt").set_value("Frage").run()
    box(app, "answer").set_value("Antwort").run()
    go(app).click().run()

    assert not app.exception
    assert [(m.role, m.content) for m in trace_of(app).conversation] == [
        ("user", "Was kostet es?"),
        ("assistant", "Neun Euro."),
    ]


def test_a_chosen_column_of_conversations_leads_to_the_choice_of_one(app: AppTest) -> None:
    upload(app, GERMAN)
    box(app, "text").set_value("Nachricht").run()
    box(app, "conversation").set_value("Kanal").run()
    go(app).click().run()

    assert not app.exception
    assert "holds 2 conversations" in html(app)
    app.button(key="offer_go").click().run()
    assert [m.content for m in trace_of(app).conversation] == ["Die Kaution beträgt 400 Euro."]


def test_what_is_known_is_chosen_already_and_may_be_changed(app: AppTest) -> None:
    upload(app, "author,content,text\nAna,short,a longer text\n")

    assert (box(app, "text").value, box(app, "speaker").value) == ("text", "author")
    box(app, "text").set_value("content").run()
    go(app).click().run()
    assert [m.content for m in trace_of(app).conversation] == ["short"]


def test_a_table_may_be_read_without_a_choice_or_left(app: AppTest) -> None:
    upload(app, GERMAN)
    app.button(key="columns_leave").click().run()
    assert not is_offered(app)
    assert "Customer support" in html(app)

    paste(app, GERMAN)
    assert is_offered(app)
    app.button(key="columns_as_found").click().run()
    assert not app.exception
    assert "Nachricht" in trace_of(app).conversation.messages[0].content
    assert not is_offered(app)


def test_names_of_columns_are_shown_as_text(app: AppTest) -> None:
    """Names come from a file: nothing in them is interpreted."""
    upload(app, ODD, "<i>chat</i>.csv")

    assert not app.exception
    assert "<i>chat" not in html(app)
    assert "<b>Wer" not in html(app)
    box(app, "text").set_value("Nach*richt").run()
    box(app, "speaker").set_value("<b>Wer</b>").run()
    go(app).click().run()
    assert [m.speaker for m in trace_of(app).conversation] == ["Ana", "Ben"]


def test_a_table_whose_names_are_known_is_read_at_once(app: AppTest) -> None:
    upload(app, "speaker,text\nAna,hi\nBen,ho\n")

    assert not app.exception
    assert not is_offered(app)
    assert [m.content for m in trace_of(app).conversation] == ["hi", "ho"]


def preview_of(header: tuple[str, ...]) -> TablePreview:
    return TablePreview(header, (tuple(map(str, range(len(header)))),), ",", {}, "why")


@pytest.mark.parametrize(
    "header",
    [
        ("a", "a (column 3)", "a"),
        ("(column 2)", ""),
        ("a",) * 500,
        ("", " ", "<b>x</b>", "$y$ :red[z]"),
    ],
)
def test_columns_of_any_names_are_told_apart(header: tuple[str, ...]) -> None:
    shown = columns._shown(preview_of(header))

    assert len(set(shown.columns)) == len(header)
    assert shown.iloc[0].tolist() == [str(place) for place in range(len(header))]


def test_a_table_of_500_columns_is_asked_for(app: AppTest) -> None:
    names = [f"col_{i}" for i in range(500)]
    upload(app, "\n".join([",".join(names), *[",".join(["x"] * 500)] * 3]))

    assert not app.exception
    assert is_offered(app)
    assert len(box(app, "text").options) == 500


def test_an_offer_closes_what_it_was_brought_with_and_forgets_the_last_choice(app: AppTest) -> None:
    upload(app, GERMAN)
    first = box(app, "text").set_value("Nachricht").run() and box(app, "text").key
    upload(app, GERMAN.replace("Kanal", "Ort"), "other.csv")

    assert box(app, "text").key != first
    assert box(app, "text").value is None


def test_a_box_shows_the_names_of_columns_as_they_are(app: AppTest) -> None:
    """A box reads no Markdown, so nothing is escaped in it."""
    upload(app, "user_name;wh*t;<b>x</b>\na;b;c\nd;e;f\n")

    assert list(box(app, "text").options) == ["user_name", "wh*t", "<b>x</b>"]
