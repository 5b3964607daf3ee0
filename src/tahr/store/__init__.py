"""A run on disk: manifest, metrics, rollouts, checkpoints, evaluations; queries and reports over them."""
