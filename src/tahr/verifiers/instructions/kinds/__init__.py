"""Kinds of instructions; importing this package registers all of them."""

from tahr.verifiers.instructions.kinds import case as case
from tahr.verifiers.instructions.kinds import keywords as keywords
from tahr.verifiers.instructions.kinds import language as language
from tahr.verifiers.instructions.kinds import length as length
from tahr.verifiers.instructions.kinds import punctuation as punctuation
from tahr.verifiers.instructions.kinds import structure as structure
from tahr.verifiers.instructions.kinds import training_characters as training_characters
from tahr.verifiers.instructions.kinds import training_copying as training_copying
from tahr.verifiers.instructions.kinds import training_keywords as training_keywords
from tahr.verifiers.instructions.kinds import training_positions as training_positions
from tahr.verifiers.instructions.kinds import training_shapes as training_shapes
from tahr.verifiers.instructions.kinds import wrapping as wrapping
