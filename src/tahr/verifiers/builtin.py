"""Importing this module registers tahr's own verifiers."""

from tahr.verifiers import constraints as constraints
from tahr.verifiers import exact as exact
from tahr.verifiers import numeric as numeric
