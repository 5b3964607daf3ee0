"""Advantages, policy and supervised losses, KL estimators, aggregation: pure functions."""
