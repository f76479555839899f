"""``memguard bench retention``: what a payload keeps of a conversation, beside plain ways to shorten it."""
