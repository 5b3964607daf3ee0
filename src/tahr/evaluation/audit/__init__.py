"""Judge a verifier: what it lets through, what it refuses, what it costs, and whether it can be trusted at all."""
