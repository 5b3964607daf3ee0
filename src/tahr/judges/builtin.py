"""Registers tahr's own judges: importing them is enough."""

from tahr.judges import aspects as aspects
from tahr.judges import pairwise as pairwise
from tahr.judges import rubric as rubric
from tahr.judges import scored as scored
from tahr.judges import verifier as verifier
