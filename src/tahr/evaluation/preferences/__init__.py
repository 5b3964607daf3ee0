"""How well scores order answers: held-out pairs, and best-of-several sets such as RewardBench 2."""
