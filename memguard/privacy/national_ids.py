"""National and official identity numbers: a form, check digits where the country has them, and a label.

A bare run of digits is a parcel or an exit status far more often than a person (RED-011), so a form
that says nothing by itself needs a word beside it that names the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.patterns import overlaps, protected, refers_to_a_thing


@dataclass(frozen=True, slots=True)
class _Form:
    """How one kind of number is written.

    Attributes:
        name: For the finding's detector.
        pattern: Its form.
        check: A module of python-stdnum with ``is_valid``, if the number has check digits.
        label: Words of which one must stand before it, or none where the form is enough.
        loose: A looser form that a label allows.
    """

    name: str
    pattern: re.Pattern[str]
    check: str | None = None
    label: re.Pattern[str] | None = None
    loose: re.Pattern[str] | None = None


def _label(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w)(?:{words})(?!\w)[^\n]{{0,24}}\Z")


def _form(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.+/-])(?:{body})(?![\w])(?!-\w)(?!\.\d)")


_SSN = r"(?!000|666|9\d\d)\d{3}%s(?!00)\d{2}%s(?!0000)\d{4}"
_SSN_LABEL = _label(r"ssn|ss#|social(?:\ security)?(?:\ (?:number|no\.?|num))?|itin|tax(?:payer)?\ id")
_FORMS = (
    _Form("us-ssn", _form(_SSN % ("[- ]", "[- ]")), None, _SSN_LABEL, _form(_SSN % ("", ""))),
    _Form("us-ssn", _form(_SSN % ("-", "-"))),
    _Form(
        "gb-nino",
        _form(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]"),
    ),
    _Form("gb-nhs", _form(r"\d{3}[ -]?\d{3}[ -]?\d{4}"), "gb.nhs", _label(r"nhs(?:\ (?:number|no\.?))?")),
    _Form(
        "de-idnr",
        _form(r"\d{2} ?\d{3} ?\d{3} ?\d{3}"),
        "de.idnr",
        _label(r"steuer-?id(?:entifikations)?(?:nummer|nr\.?)?|idnr\.?|steuernummer|tax\ id"),
    ),
    _Form("fr-nir", _form(r"[12] ?\d{2} ?[01]\d ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}"), "fr.nir"),
    _Form("es-dni", _form(r"\d{8}-?[A-Z]"), "es.dni", _label(r"dni|nif|documento")),
    _Form("es-nie", _form(r"[XYZ]-?\d{7}-?[A-Z]"), "es.nie"),
    _Form("it-codice-fiscale", _form(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"), "it.codicefiscale"),
    _Form(
        "nl-bsn", _form(r"\d{9}|\d{4}\.\d{2}\.\d{3}"), "nl.bsn", _label(r"bsn|burgerservicenummer|sofinummer")
    ),
    _Form("be-nn", _form(r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"), "be.nn"),
    _Form("pl-pesel", _form(r"\d{11}"), "pl.pesel", _label(r"pesel")),
    _Form(
        "se-personnummer",
        _form(r"(?:19|20)?\d{6}[-+]\d{4}"),
        "se.personnummer",
        _label(r"person(?:al\ )?(?:nummer|number)|pnr"),
    ),
    _Form("fi-hetu", _form(r"\d{6}[-+A]\d{3}[0-9A-Y]"), "fi.hetu"),
    _Form("dk-cpr", _form(r"\d{6}-?\d{4}"), "dk.cpr", _label(r"cpr(?:-?(?:nummer|number))?")),
    _Form(
        "ca-sin",
        _form(r"\d{3}[ -]?\d{3}[ -]?\d{3}"),
        "ca.sin",
        _label(r"sin|social\ insurance(?:\ (?:number|no\.?))?"),
    ),
    _Form("au-tfn", _form(r"\d{3} ?\d{3} ?\d{2,3}"), "au.tfn", _label(r"tfn|tax\ file(?:\ number)?")),
    _Form("br-cpf", _form(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), "br.cpf", None),
    _Form("br-cpf", _form(r"\d{11}"), "br.cpf", _label(r"cpf")),
    _Form("in-aadhaar", _form(r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}"), "in_.aadhaar", _label(r"a+dha+r|uidai?")),
    _Form(
        "in-pan",
        _form(r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]"),
        None,
        _label(r"pan(?:\ (?:card|number|no\.?))?"),
    ),
    _Form("cn-ric", _form(r"[1-9]\d{5}(?:19|20)\d{9}[\dX]"), "cn.ric"),
    _Form("kr-rrn", _form(r"\d{6}-[1-8]\d{6}"), "kr.rrn"),
    _Form("vn-cccd", _form(r"0\d{2}[0-3]\d{8}"), None, _label(r"cccd|cmnd|căn\ cước|citizen\ id")),
    _Form(
        "passport",
        _form(r"(?=(?:[A-Z]{0,8}\d){3})[A-Z]{0,2}\d[A-Z0-9]{5,8}|[A-Z]{1,2}\d{6,8}"),
        None,
        _label(r"passports?(?:\ (?:no\.?|number|num|id))?|reisepass(?:nummer)?|passeport|pasaporte"),
    ),
    _Form(
        "driving-licence",
        _form(r"(?=[A-Z0-9 -]{0,18}\d{3})[A-Z0-9](?:[ -]?[A-Z0-9]){5,18}"),
        None,
        _label(
            r"driv(?:er'?s?|ing)\ licen[cs]es?(?:\ (?:no\.?|number|num))?|führerschein(?:nummer)?"
            r"|dl\ (?:no\.?|number)"
        ),
    ),
    _Form(
        "national-id",
        _form(r"(?=[A-Z0-9]{0,14}\d{4})[A-Z0-9]{6,15}"),
        None,
        _label(
            r"(?:national|identity|resident)\ (?:id|identity|identification)(?:\ (?:card|no\.?|number))*"
            r"|id\ card(?:\ (?:no\.?|number))?|personalausweis(?:nummer)?"
        ),
    ),
)
_BEFORE = 64


def national_ids(text: str) -> Iterator[PrivacyFinding]:
    """Yield identity numbers of the countries in the table, and passports and licences by their label."""
    shielded = protected(text)
    for form in _FORMS:
        for pattern, needs_label in ((form.pattern, form.label is not None), (form.loose, True)):
            for match in pattern.finditer(text) if pattern else ():
                labelled = form.label and form.label.search(
                    text[max(0, match.start() - _BEFORE) : match.start()]
                )
                if needs_label and not labelled:
                    continue
                if not labelled and (
                    refers_to_a_thing(text, match.start())
                    or (form.check is None and overlaps(shielded, *match.span()))
                ):
                    continue
                if form.check is None or _holds(form.check, match.group()):
                    yield PrivacyFinding(match.span(), Kind.NATIONAL_ID, 0.9 if labelled else 0.7, form.name)


def _holds(check: str, number: str) -> bool:
    return bool(import_module(f"stdnum.{check}").is_valid(number))
