"""Answers of a stated form: JSON, tags, code, tables, patterns, thinking parts."""
