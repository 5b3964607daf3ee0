"""Our instruction checks beside two published reference checkers, on the same responses."""
