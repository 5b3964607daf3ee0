"""Generated coding tasks: families of problems, their tests, and the mutants that the tests must catch."""
