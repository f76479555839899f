"""What WhatsApp itself writes into the text of a message: media, attachments, deletions, edits.

The iOS app puts a left-to-right mark (U+200E) before each text of its own, which tells ``image
omitted`` from somebody's words; the Android app puts its texts between angle brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

LRM = "\u200e"
_ATTACHED = re.compile(
    r"\u200e?<(?:attached|adjunto|Anhang|pièce jointe|allegato|anexado|bijgevoegd): ([^<>\n]{1,200})>"
)
_FILE = re.compile(
    r"\A\u200e?([^\n\u200e]{1,200}\.\w{1,8}) \((?:file attached|Datei angehängt|archivo adjunto|"
    r"fichier joint|file allegato|arquivo anexado|bestand bijgevoegd)\)",
)
_OMITTED_IOS = re.compile(
    r"(?:(?<=\u200e)|\A)\u200e?(?P<kind>[^\W\d_]{3,12}(?: [^\W\d_]{2,12})?) "
    r"(?:omitted|weggelassen|ausgelassen|omitid[oa]|omise?|absente?|omess[oa]|ocultad[oa]|weggelaten|utelämnad|utelatt|pominięt[oya]|atlandı)"
    r"(?=\s*\Z)"
)
_KINDS = {
    **dict.fromkeys("image bild imagen immagine imagem afbeelding foto photo obraz".split(), "image"),
    **dict.fromkeys(("video", "vídeo", "vidéo", "video note", "videonachricht"), "video"),
    **dict.fromkeys(("audio", "áudio", "sprachnachricht", "ljud", "dźwięk"), "audio"),
    **dict.fromkeys(("document", "dokument", "documento"), "document"),
    **dict.fromkeys(("contact card", "kontaktkarte", "tarjeta de contacto"), "contact card"),
    "gif": "gif",
    "sticker": "sticker",
}
"""What the iOS app calls the kinds of media; a kind that is not here reads ``[media]``."""
_OMITTED_ANDROID = re.compile(
    r"\A\u200e?<(?:Media omitted|Medien ausgeschlossen|Multimedia omitido|Archivo omitido|Médias omis|"
    r"Fichier omis|Media omessi|Arquivo de mídia oculto|Mídia oculta|Media weggelaten|Без медиафайлов|"
    r"Pominięto multimedia|Medya dahil edilmedi|Media tidak disertakan|Mediafil utelämnad|已省略媒體檔|"
    r"省略多媒体文件|メディアなし|미디어 제외됨)>"
)
_DELETED = re.compile(
    r"\A\u200e?(?:You deleted this message|This message was deleted|Du hast diese Nachricht gelöscht|"
    r"Diese Nachricht wurde gelöscht|Eliminaste este mensaje|Se eliminó este mensaje|"
    r"Vous avez supprimé ce message|Ce message a été supprimé|Hai eliminato questo messaggio|"
    r"Questo messaggio è stato eliminato|Esta mensagem foi apagada|Você apagou esta mensagem|"
    r"Mensagem apagada|Dit bericht is verwijderd|U hebt dit bericht verwijderd|"
    r"Данное сообщение удалено|Вы удалили данное сообщение|"
    r"Bu mesaj silindi|Bu mesajı sildiniz|Pesan ini telah dihapus|Anda menghapus pesan ini|"
    r"Ta wiadomość została usunięta|このメッセージは削除されました)\.?\s*\Z"
)
_EDITED = re.compile(
    r"\s*\u200e?<(?:This message was edited|Diese Nachricht wurde bearbeitet|Se editó este mensaje|"
    r"Ce message a été modifié|Questo messaggio è stato modificato|Mensagem editada|"
    r"Dit bericht is bewerkt)\.?>\s*\Z"
)
_CALL = re.compile(
    r"\A\u200e?(?:Missed (?:group )?(?:voice|video) call|Verpasster (?:Sprach|Video)anruf|"
    r"Llamada perdida|Videollamada perdida|Appel (?:vocal|vidéo) manqué|Chamada de (?:voz|vídeo) perdida)"
    r"(?:[.,] ?[^\n]{0,60})?\s*\Z"
)
_MENTION = re.compile("@\u2068([^\u2069\n]{1,100})\u2069")
_OWN_WORDS = re.compile(r"\u200e(?:POLL|Location|LOCATION|EVENT|UMFRAGE|ENCUESTA)\b")
"""What the iOS app writes with its mark although somebody sent it."""


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a message as it is kept.

    Attributes:
        text: The text, with media as ``[image]`` or ``[file: name]``.
        by_app: Whether the app wrote it, so that nobody said it.
    """

    text: str
    by_app: bool


def read_body(raw: str, counts: Counter[str]) -> Body:
    """Return what is kept of the raw text of a message; counts what it stands for.

    Args:
        raw: The text after the sender's name, with all its lines.
        counts: Takes the number of ``media``, ``deleted`` and ``edited`` messages.
    """
    if _DELETED.match(raw):
        counts["deleted"] += 1
        return Body("[message deleted]", False)
    text, edits = _EDITED.subn("", raw)
    counts["edited"] += edits
    text = _MENTION.sub(r"@\1", text)
    text, n_attached = _ATTACHED.subn(r"[file: \1]", text)
    text, n_files = _FILE.subn(r"[file: \1]", text)
    text, n_omitted = _OMITTED_IOS.subn(_omitted, text)
    text, n_media = _OMITTED_ANDROID.subn("[media]", text)
    n_marks = n_attached + n_files + n_omitted + n_media
    counts["media"] += bool(n_omitted + n_media)
    by_app = text.startswith(LRM) and not n_marks and not edits and not _OWN_WORDS.match(text)
    by_app = by_app or _CALL.match(text) is not None
    return Body(text.replace(LRM, ""), by_app)


def _omitted(match: re.Match[str]) -> str:
    kind = _KINDS.get(match["kind"].casefold())
    if (
        kind is None
        and not match[0].startswith(LRM)
        and match.string[match.start() - 1 : match.start()] != LRM
    ):
        return match[0]  # somebody's words, such as "nothing omitted"
    return f"[{kind or 'media'}]"


def notes(counts: Counter[str]) -> list[str]:
    """Return what to say about the counted messages."""
    said = {
        "media": "the media of {} are not in the export; the text says which kind, such as [image]",
        "deleted": "{} had been deleted; the text says [message deleted]",
        "edited": "{} had been edited; the text is the last version",
    }
    return [
        text.format("1 message" if counts[kind] == 1 else f"{counts[kind]} messages")
        for kind, text in said.items()
        if counts[kind]
    ]
