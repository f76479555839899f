"""MemGuard where people already work: LangChain, OpenAI-compatible clients, pandas, Jupyter, pytest.

Each module stands behind an extra of its own name, except ``frames`` and ``jupyter``, which need none;
importing the package imports none of them. The pytest plugin is loaded by every run of pytest, and must
import nothing heavy.
"""
