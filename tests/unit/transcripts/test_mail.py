"""Mails and mailboxes."""

import mailbox
import time
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts.document import Document
from memguard.transcripts.hypertext import text_of_html
from memguard.transcripts.mail import Mail
from memguard.transcripts.quotations import AtHand, unquote
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

READER = Mail()
FROM = "From a@x.example Mon Sep 14 10:00:00 2026\n"


def _mail(body="hi", **headers):
    fields = {
        "From": "Ana <ana@x.example>",
        "Subject": "Trip",
        "Date": "Mon, 14 Sep 2026 10:00:00 +0200",
        "Message-ID": "<1@x>",
    }
    names = {**fields, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return "".join(f"{name}: {value}\n" for name, value in names.items() if value is not None) + f"\n{body}\n"


def _mbox(*mails):
    return "\n".join(FROM + mail for mail in mails)


def _read(text, conversation=None):
    return READER.read(Document(text, "m"), conversation)


def _contents(text):
    return [m.content for m in _read(text).conversation]


def test_mail_is_recognised_by_its_headers():
    assert READER.recognises(Document(_mail())) == 0.9
    assert READER.recognises(Document(_mbox(_mail()))) == 0.9


@pytest.mark.parametrize(
    "text",
    [
        "From: Ana\nTo: Ben\nSubject: a letter\n\nhi",
        "Ana: hi\nBen: yo",
        "From here we walk.",
        "From: Ana\nit is a letter\nDate: today",
        "Date: Mon, 14 Sep 2026 10:00:00 +0200\n\nhi",
        "",
    ],
)
def test_mail_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


def test_mail_reads_who_when_and_what():
    (message,) = _read(_mail(From="=?utf-8?q?Zo=C3=AB?= <z@x.example>")).conversation
    assert (message.id, message.role, message.speaker, message.content) == ("1@x", "user", "Zoë", "hi")
    assert message.timestamp.isoformat() == "2026-09-14T10:00:00+02:00"
    assert message.origin == "mail 1, line 1"


def test_mail_a_date_without_a_zone_is_utc_with_a_warning():
    for date, warns in (("14 Sep 2026 10:00:00", True), ("14 Sep 2026 10:00:00 -0000", False)):
        reading = _read(_mail(Date=date))
        assert reading.conversation.messages[0].timestamp.isoformat() == "2026-09-14T10:00:00+00:00"
        assert ("some dates name no time zone; UTC is assumed" in reading.conversation.warnings) == warns


def test_mail_a_thread_is_in_order_of_dates():
    first = _mail("one", Message_ID="<1@x>")
    second = _mail("two", Message_ID="<2@x>", In_Reply_To="<1@x>", Date="Mon, 14 Sep 2026 12:00:00 +0200")
    third = _mail(
        "three", Message_ID="<3@x>", References="<1@x> <2@x>", Date="Mon, 14 Sep 2026 11:00:00 +0000"
    )
    reading = _read(_mbox(third, first, second))
    assert [m.content for m in reading.conversation] == ["one", "two", "three"]
    assert (reading.rule, reading.conversation.title) == ("by Date", "Trip")


def test_mail_without_a_date_stands_after_what_it_answers():
    first = _mail("one", Message_ID="<1@x>")
    second = _mail("two", Message_ID="<2@x>", In_Reply_To="<1@x>", Date=None)
    third = _mail("three", Message_ID="<3@x>", In_Reply_To="<2@x>", Date="Mon, 14 Sep 2026 12:00:00 +0200")
    reading = _read(_mbox(third, second, first))
    assert [m.content for m in reading.conversation] == ["one", "two", "three"]
    assert reading.rule == "by Date; a mail without one stands after what it answers"
    assert any("the Date cannot be read" in warning for warning in reading.conversation.warnings)


def test_mail_an_answer_dated_before_what_it_answers_is_told():
    late = _mail("two", Message_ID="<2@x>", In_Reply_To="<1@x>", Date="Mon, 14 Sep 2026 09:00:00 +0200")
    reading = _read(_mbox(_mail("one"), late))
    assert [m.content for m in reading.conversation] == ["two", "one"]
    assert any("dated before the mail that it answers" in w for w in reading.conversation.warnings)


def test_mail_threads_are_conversations():
    text = _mbox(
        _mail("a", Message_ID="<1@x>"),
        _mail("b", Message_ID="<2@x>", Subject="Other"),
        _mail("c", Message_ID="<3@x>", Subject="AW: Re: other"),
        _mail("d", Message_ID="<4@x>", Subject="Third", X_GM_THRID="77"),
        _mail("e", Message_ID="<5@x>", Subject="Fourth", X_GM_THRID="77"),
    )
    heads = READER.conversations(Document(text))
    assert [(head.id, head.title, head.n_messages) for head in heads] == [
        ("1@x", "Trip", 1),
        ("2@x", "Other", 2),
        ("4@x", "Third", 2),
    ]
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        _read(text)
    assert [m.content for m in _read(text, "Other").conversation] == ["b", "c"]
    contents = [m.content for m in _read(text, "3").conversation]
    assert contents == ["d", "[subject: Fourth]\ne"]


def test_mail_a_line_that_begins_with_from_is_no_new_mail():
    text = _mbox(
        _mail("one\n\nFrom here we walk.\n>From there too.", Subject="a"),
        _mail("two", Message_ID="<2@x>", Subject="Re: a"),
    )
    assert _contents(text) == ["one\n\nFrom here we walk.\nFrom there too.", "two"]


def test_mail_a_subject_alone_is_the_text():
    assert _contents(_mail("", Subject="Moved to Friday")) == ["[subject: Moved to Friday]"]


def _built(**parts):
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = "Ana <ana@x.example>", "Trip", "<1@x>"
    message["Date"] = "Mon, 14 Sep 2026 10:00:00 +0200"
    if "text" in parts:
        message.set_content(parts["text"])
    if "html" in parts:
        add = message.add_alternative if "text" in parts else message.set_content
        add(parts["html"], subtype="html")
    for name in parts.get("files", ()):
        message.add_attachment(b"abc", maintype="application", subtype="pdf", filename=name)
    return message.as_string()


def test_mail_takes_the_text_of_two_forms_and_names_attachments():
    text = _built(text="plain – text", html="<p>rich</p>", files=["plan.pdf", "Größe.pdf"])
    assert _contents(text) == ["plain – text\n\n[file: plan.pdf]\n\n[file: Größe.pdf]"]
    assert _contents(_built(html="<p>only <b>rich</b></p>")) == ["only rich"]
    assert _contents(_built(text=" ", html="<p>only rich</p>")) == ["only rich"]


def test_mail_an_attached_mail_is_named():
    inner, outer = EmailMessage(), EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("hidden")
    outer["From"], outer["Date"] = "a@x.example", "Mon, 14 Sep 2026 10:00:00 +0200"
    outer.set_content("see below")
    outer.add_attachment(inner)
    reading = _read(outer.as_string())
    assert [m.content for m in reading.conversation] == ["see below\n\n[file: Inner]"]
    assert any("a mail that is attached is named, not read" in w for w in reading.conversation.warnings)


@pytest.mark.parametrize(
    ("charset", "coded", "expected", "warns"),
    [
        ("iso-8859-1", "Gr=F6=DFe", "Größe", False),
        ("utf-8", "Gr=C3=B6=C3=9Fe", "Größe", False),
        ("utf\0-8", "Gr=C3=B6=C3=9Fe", "Größe", False),
        ("no-such-charset", "Gr=C3=B6=C3=9Fe", "Größe", False),
        ("utf-8", "Gr=F6=DFe", "Größe", True),
    ],
)
def test_mail_charsets(charset, coded, expected, warns):
    headers = {
        "Content_Type": f"text/plain; charset={charset}",
        "Content_Transfer_Encoding": "quoted-printable",
    }
    reading = _read(_mail(coded, **headers))
    assert [m.content for m in reading.conversation] == [expected]
    assert any("cp1252 was assumed" in w for w in reading.conversation.warnings) == warns


def test_mail_a_part_that_is_not_encoded_was_decoded_with_the_file():
    assert _contents(_mail("Größe 日本", Content_Type="text/plain; charset=iso-8859-1")) == ["Größe 日本"]


def test_mail_leaves_out_what_it_quotes_of_the_thread_and_says_how_much():
    answer = "No, at 8.\n\nOn Mon, 14 Sep 2026 at 10:00, Ana <ana@x.example>\nwrote:\n"
    answer += "> shall we meet at\n> seven tonight?\n"
    text = _mbox(
        _mail("shall we meet at seven tonight?"),
        _mail(answer, Message_ID="<2@x>", In_Reply_To="<1@x>", Date="Mon, 14 Sep 2026 11:00:00 +0200"),
    )
    reading = _read(text)
    assert [m.content for m in reading.conversation] == ["shall we meet at seven tonight?", "No, at 8."]
    assert reading.conversation.warnings == ("lines that quote earlier mails of this thread, left out: 4",)


def test_mail_keeps_what_it_quotes_of_mails_that_are_not_there():
    """Nothing is lost: a quotation is left out only where the file holds what it quotes."""
    text = _mail("Agreed.\n\n> the pump costs 40 euros and not 50\n")
    reading = _read(text)
    assert _contents(text) == ["Agreed.\n\n> the pump costs 40 euros and not 50"]
    assert "kept behind" in reading.conversation.warnings[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("yes\n\nAm 14.09.2026 um 10:00 schrieb Ana:\n> it is late now Ana", "yes"),
        ("yes\n\nLe lun. 14 sept. 2026, Ana a écrit :\n> it is late now Ana", "yes"),
        (
            "yes\n\n-----Original Message-----\nFrom: Ana\nSent: Monday\nSubject: x\n\nit is late now Ana",
            "yes",
        ),
        ("yes\n\nFrom: Ana\nSent: Monday\nTo: Ben\nSubject: x\n\nit is late now Ana", "yes"),
        ("> it is late now Ana\nyes\n> it is late now Ana\nno", "yes\n\nno"),
        ("> ok\nyes", "yes"),
        ("> not there at all, I say\nyes", "> not there at all, I say\n\nyes"),
        ("From: Ana\nis a letter", "From: Ana\nis a letter"),
        ("it > that\n>_< ok", "it > that\n\n>_< ok"),
        ("", ""),
    ],
)
def test_unquote(body, expected):
    at_hand = AtHand()
    at_hand.add("Hello\nit is late\nnow Ana\nok")
    assert unquote(body, at_hand).text == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>a<br>b</p><p>c</p>", "a\nb\n\nc"),
        ("a &amp; b &lt;i&gt; &nbsp;c &#128512;", "a & b <i> c 😀"),
        ("<style>x</style><script>alert(1)</script><title>t</title>seen", "seen"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ('<a href="https://x.example/a">here</a>', "here (https://x.example/a)"),
        ('<a href="https://x.example/">https://x.example</a>', "https://x.example"),
        ('<a href="javascript:x">here</a>', "here"),
        (
            "<blockquote><p>old</p><blockquote>older</blockquote></blockquote>new",
            "> old\n>\n> > older\n\nnew",
        ),
        ('<div class="gmail_quote_container"><div>old</div></div><div>new</div>', "> old\nnew"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ('<img src="http://x.example/p.png" alt="plan">', "[image: plan]"),
        ("<p>cut <b", "cut"),
        ("<!DOCTYPE html><p>&x;</p>", "&x;"),
        ("", ""),
    ],
)
def test_text_of_html(markup, expected):
    assert text_of_html(markup).replace("> \n", ">\n") == expected


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<pre>", "<a href='x'>", "<", "&", "\0", "\ud83d", "-->", "é"])
        | st.text()
    ).map("".join)
)
@settings(max_examples=100, deadline=None)
def test_text_of_html_takes_any_text(markup):
    assert text_of_html(markup).encode("utf-8") is not None


def test_text_of_html_expands_no_entities():
    """Issue 7: XML entities are off."""
    bomb = "<!DOCTYPE a [<!ENTITY x 'aaaa'><!ENTITY y '&x;&x;'>]><p>&y;</p>"
    assert "&y;" in text_of_html(bomb)
    assert "aaaaaaaa" not in text_of_html(bomb)


def test_text_of_html_deep_and_long_markup_is_read_in_time():
    started = time.perf_counter()
    assert text_of_html("<div>" * 50_000 + "x") == "x"
    assert text_of_html("<p>a<blockquote>" * 5000 + "x").endswith("> x")
    assert text_of_html("<a href='" * 20_000) == ""
    assert text_of_html("<!--" * 50_000) == ""
    assert text_of_html("<" * 300_000).count("<") > 290_000
    assert text_of_html("<td>x" * 100_000).count("x") == 100_000
    assert text_of_html("<a href='http://x'>y" * 100_000).count("y") == 100_000
    assert text_of_html("<p>word</p>" * 20_000).count("word") == 20_000
    assert time.perf_counter() - started < 10


def test_mail_nested_parts_are_refused_or_read():
    boundaries = "".join(f'Content-Type: multipart/mixed; boundary="b{i}"\n\n--b{i}\n' for i in range(3000))
    read_or_refuse(
        READER, f"From: a@x.example\nDate: Mon, 14 Sep 2026 10:00:00 +0200\nSubject: s\n{boundaries}\nx"
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"From": "(" * 5000},
        {"From": '"' * 5000},
        {"From": "<" * 50_000},
        {"Subject": "re: " * 50_000},
        {"References": "<a@b> " * 30_000},
        {"Subject": "=?utf-8?q?a?= " * 50_000},
        {"To": '"a" <a@b.c>, ' * 50_000},
        {"From": '"a" <a@b.c>, ' * 50_000},
        {"Date": "1 " * 500_000},
        {"Content_Type": "(" * 5000},
        {"Content_Disposition": "attachment; filename=" + '"(' * 2000},
    ],
)
def test_mail_headers_of_no_end_are_read_or_refused_in_time(headers):
    started = time.perf_counter()
    read_or_refuse(READER, _mail(**headers))
    assert time.perf_counter() - started < 10


FIRST, LAST = datetime.fromisoformat("1971-01-01"), datetime.fromisoformat("2099-12-31")
ZONES = st.integers(-48, 48).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))
WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=12)
BODIES = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=3).map(
    "\n".join
)


@given(
    bodies=st.lists(BODIES, min_size=1, max_size=5),
    times=st.lists(
        st.datetimes(FIRST, LAST, timezones=ZONES).map(lambda moment: moment.replace(microsecond=0)),
        min_size=5,
        max_size=5,
        unique=True,
    ),
    coding=st.sampled_from(["quoted-printable", "base64"]),
)
@settings(max_examples=40, deadline=None)
def test_mail_a_mailbox_that_is_written_is_read_again(bodies, times, coding, tmp_path_factory):
    """What Python's mailbox writes comes back: texts, times of any zone and the order of a thread."""
    path = tmp_path_factory.mktemp("box") / "box"
    box = mailbox.mbox(path)
    times.sort()
    expected = []
    for i, (body, moment) in enumerate(zip(bodies, times, strict=False)):
        message = EmailMessage()
        message["From"], message["Subject"] = "Zoë <z@x.example>", "Trip" if i == 0 else "Re: Trip"
        message["Message-ID"], message["Date"] = f"<{i}@x>", format_datetime(moment)
        if i:
            message["In-Reply-To"] = f"<{i - 1}@x>"
        message.set_content(body, cte=coding)
        box.add(mailbox.mboxMessage(message))
        expected.append((f"{i}@x", "Zoë", body, moment))
    box.close()
    reading = _read(path.read_text("utf-8"))
    found = [(m.id, m.speaker, m.content, m.timestamp) for m in reading.conversation]
    assert found == expected


@given(mutated_text("mail.mbox") | mutated_text("mail_eml.eml"))
@settings(max_examples=100, deadline=None)
def test_mail_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)


def test_unquote_keeps_who_wrote_a_quotation_inside_a_quotation():
    body = (
        "Agreed.\n\nFrom: Ana <a@x>\nSent: Monday\nTo: Ben <b@x>\nSubject: price\n\nIs it 40?\n\n"
        "________________________________\nFrom: Cy <c@x>\nSent: Sunday\nTo: Ana <a@x>\nSubject: p\n\nIs 45."
    )
    kept = unquote(body, AtHand()).text
    assert kept.index("> From: Cy") < kept.index("> Is 45.")
    assert kept.index("> Is it 40?") < kept.index("> From: Cy")
