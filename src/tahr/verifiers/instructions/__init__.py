"""Instructions that a response can be checked against without a model."""
