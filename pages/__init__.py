"""The pages of the app; ``app.py`` puts them into the navigation."""
