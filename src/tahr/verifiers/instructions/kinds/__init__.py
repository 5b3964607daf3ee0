"""Kinds of instructions; importing this package registers all of them."""

from tahr.verifiers.instructions.kinds import keywords as keywords
from tahr.verifiers.instructions.kinds import punctuation as punctuation
