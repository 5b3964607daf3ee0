"""The file of an experiment with two sources of labels."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tahr.core.config import Config

SourceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class FeedbackConfig(Config):
    """Two sources of labels on one set of pairs, and the recipe that trains on either. Paths are from the working
    folder, as in recipes."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="the experiment's folder is called like it")
    recipe: str = Field(min_length=1, description="a recipe with [dpo] and [eval]; its pairs are replaced")
    pairs: str = Field(min_length=1, description="the pairs that both sources judged, in any format")
    labels: dict[SourceName, str] = Field(
        min_length=2, max_length=2, description="a name and a file of labels or pairs for each source; people first"
    )
    seed: int = Field(default=0, description="seed of the resamples behind the intervals of agreement")
