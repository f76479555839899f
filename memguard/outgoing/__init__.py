"""A run as it may leave: its texts with placeholders, while the run itself keeps the untouched ones (F24)."""

from memguard.outgoing.conversation import ShownConversation as ShownConversation
from memguard.outgoing.conversation import told as told
from memguard.outgoing.stage import OutgoingReconstructor as OutgoingReconstructor
from memguard.outgoing.view import leaving as leaving
from memguard.outgoing.view import shown_alone as shown_alone
from memguard.outgoing.view import shown_text as shown_text
from memguard.outgoing.view import view as view
