"""Pairs built for their own sake, outside a run: ``tahr prefs build``."""
