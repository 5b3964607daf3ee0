"""Preference data of one's own: questions, answers from a pool of models, judgments, pairs."""
