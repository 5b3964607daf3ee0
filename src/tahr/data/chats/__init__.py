"""Conversations to learn from: the common formats, read into one noun."""
