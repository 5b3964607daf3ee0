"""Rows of coding data sets as suites of tests for the "code" verifier."""
