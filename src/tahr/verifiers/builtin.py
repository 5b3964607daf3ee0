"""Importing this module registers tahr's own verifiers."""

from tahr.verifiers import choice as choice
from tahr.verifiers import constraints as constraints
from tahr.verifiers import countdown as countdown
from tahr.verifiers import exact as exact
from tahr.verifiers import gym as gym
from tahr.verifiers import numeric as numeric
from tahr.verifiers.instructions import verifier as verifier
from tahr.verifiers.rewards import weighted as weighted
from tahr.verifiers.structured import json_schema as json_schema
from tahr.verifiers.structured import patterns as patterns
from tahr.verifiers.math import verifier as math_verifier
