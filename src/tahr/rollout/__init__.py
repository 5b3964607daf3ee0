"""Collect attempts, score them, turn them into training samples."""
