"""Importing this module registers tahr's own verifiers."""

from tahr.core.protocols import verifiers
from tahr.verifiers import choice as choice
from tahr.verifiers import constraints as constraints
from tahr.verifiers import countdown as countdown
from tahr.verifiers import exact as exact
from tahr.verifiers import gym as gym
from tahr.verifiers import numeric as numeric
from tahr.verifiers import short_answer as short_answer
from tahr.verifiers.code import program as program
from tahr.verifiers.instructions import verifier as verifier
from tahr.verifiers.instructions.composing import source as source  # a task source: its tasks need the kinds
from tahr.verifiers.math import mathematics as mathematics
from tahr.verifiers.rewards import length as length
from tahr.verifiers.rewards import repetition as repetition
from tahr.verifiers.rewards import weighted as weighted
from tahr.verifiers.structured import code_block as code_block
from tahr.verifiers.structured import json_schema as json_schema
from tahr.verifiers.structured import patterns as patterns
from tahr.verifiers.structured import table as table
from tahr.verifiers.structured import tags as tags
from tahr.verifiers.structured import thinking as thinking

verifiers.refer("reward_model", "tahr.judges.reward_model:RewardModelVerifier")
