"""The nouns, the protocols, the registry, errors, seeded randomness and the base of every recipe section."""
