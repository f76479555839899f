"""``python -m memguard`` runs the command line."""

import sys

from memguard.cli import main

sys.exit(main())
