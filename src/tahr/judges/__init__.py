"""Judges of answers: a task's verifier, and models that rate aspects, compare two answers or go through a rubric."""
