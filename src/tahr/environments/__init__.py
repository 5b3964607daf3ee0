"""How an attempt at a task is played. Importing the package registers the environments."""

from tahr.environments.single_turn import SingleTurn

__all__ = ["SingleTurn"]
