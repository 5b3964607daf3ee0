"""Suites, the runner and the statistics of a before/after comparison."""
