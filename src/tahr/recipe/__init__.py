"""The recipe file: schema, loading, checks, estimates, and the run of its stages."""
