"""Runs set against one another on the same questions."""
