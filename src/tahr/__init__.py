"""tahr: train language models against honest rewards."""

__version__ = "0.1.0"
