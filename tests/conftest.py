import gc


def pytest_collection_finish() -> None:
    """Leave what collecting thousands of tests made out of the collector's sight.

    A full collection would go through all of it again and again: half a second in the middle of whichever test is
    running, some of which hold what they call to less.
    """
    gc.collect()
    gc.freeze()
