"""The command line: one file per verb."""

from tahr.cli.app import main as main
