"""Load, render, compute log-probabilities, save."""
