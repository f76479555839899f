"""Retrieval loads no compiler into the process that serves the page (OPS-003)."""

from __future__ import annotations

import logging
import subprocess
import sys


def test_indexing_words_loads_no_numba():
    code = (
        "import sys\n"
        "from tests.inquiries import inquiry\n"
        "inquiry('Ben paid.', 'Ben: I paid 40 euros.')\n"
        "print(sorted({'numba', 'llvmlite'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_indexing_words_logs_at_the_level_of_the_application():
    code = (
        "import logging\n"
        "from tests.inquiries import inquiry\n"
        "inquiry('Ben paid.', 'Ben: I paid 40 euros.')\n"
        "print(logging.getLogger('bm25s').level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(logging.NOTSET)
