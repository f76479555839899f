"""Exports of chat applications: WhatsApp, Telegram, Discord, Messenger and Instagram."""

from memguard.transcripts.chats.discord import Discord
from memguard.transcripts.chats.discord_package import DiscordPackage
from memguard.transcripts.chats.messenger import Messenger
from memguard.transcripts.chats.telegram import Telegram
from memguard.transcripts.chats.whatsapp import WhatsApp
from memguard.transcripts.document import ListingReader, Reader

READERS: tuple[Reader | ListingReader, ...] = (
    WhatsApp(),
    Telegram(),
    Discord(),
    DiscordPackage(),
    Messenger(),
)
"""One reader a format."""

__all__ = ["READERS", "Discord", "DiscordPackage", "Messenger", "Telegram", "WhatsApp"]
