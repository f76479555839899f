"""The MemGuard app: ``streamlit run app.py``."""

from __future__ import annotations

from pages._ui import shell

shell.run()
