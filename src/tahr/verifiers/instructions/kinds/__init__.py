"""Kinds of instructions; importing this package registers all of them."""

from tahr.verifiers.instructions.kinds import case as case
from tahr.verifiers.instructions.kinds import count as count
from tahr.verifiers.instructions.kinds import custom_csv as custom_csv
from tahr.verifiers.instructions.kinds import custom_lists as custom_lists
from tahr.verifiers.instructions.kinds import custom_reversed as custom_reversed
from tahr.verifiers.instructions.kinds import format_layout as format_layout
from tahr.verifiers.instructions.kinds import format_lists as format_lists
from tahr.verifiers.instructions.kinds import format_nesting as format_nesting
from tahr.verifiers.instructions.kinds import keywords as keywords
from tahr.verifiers.instructions.kinds import language as language
from tahr.verifiers.instructions.kinds import length as length
from tahr.verifiers.instructions.kinds import punctuation as punctuation
from tahr.verifiers.instructions.kinds import ratio as ratio
from tahr.verifiers.instructions.kinds import repeat as repeat
from tahr.verifiers.instructions.kinds import sentence as sentence
from tahr.verifiers.instructions.kinds import structure as structure
from tahr.verifiers.instructions.kinds import training_characters as training_characters
from tahr.verifiers.instructions.kinds import training_copying as training_copying
from tahr.verifiers.instructions.kinds import training_keywords as training_keywords
from tahr.verifiers.instructions.kinds import training_positions as training_positions
from tahr.verifiers.instructions.kinds import training_shapes as training_shapes
from tahr.verifiers.instructions.kinds import words_letters as words_letters
from tahr.verifiers.instructions.kinds import words_order as words_order
from tahr.verifiers.instructions.kinds import wrapping as wrapping
