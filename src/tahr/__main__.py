"""``python -m tahr``."""

from tahr.cli import main

main()
