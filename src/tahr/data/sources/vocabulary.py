"""Words that generated tasks are written with."""

from __future__ import annotations


def _listed(text: str, separator: str | None = None) -> tuple[str, ...]:
    """The items of a text in lines; `separator` None splits at white space."""
    return tuple(" ".join(item.split()) for item in text.split(separator))


TOPICS = _listed(
    """the sea|a cat|a dog|the moon|the rain|a garden|the winter|a train|the city|a farm|the forest|a birthday|the
    kitchen|a teacher|the market|a bicycle|the mountain|a river trip|the summer|a football game|the library|a baby|the
    desert|an old house|the beach|a good book|the night sky|a long walk|the morning|a big storm|the school|a lost key|
    the museum|a small bird|the harvest|a new friend|the office|a quiet lake|the village|a music lesson|the weekend|a
    hot drink|the airport|a warm coat|the spring|a busy street|the dinner|a wooden boat|the island|a strange dream|the
    circus|a fast car|the hospital|a letter|the snow|a happy child|the sunset|a nice meal|the zoo|a family visit""",
    "|",
)

KEYWORDS = _listed(
    """apple basket bell bench bird blanket boat bottle bread bridge bucket candle chair cheese circle clock cloud coat
    coin corner cup desk door dress drum egg engine feather fence field fire fish flag floor flower fork glass
    glove gold grass guitar hammer hat hill honey horse island jacket jar kettle key kite ladder lamp leaf lemon
    letter light map milk mirror money mouse needle nest nut orange oven paint paper pencil piano picture pillow
    plate pocket pond potato rabbit ribbon ring river road roof rope rose salt sand seed shadow shell ship shirt
    shoe silver smile soap song soup spoon star stone story string sugar sun table tea tent tower town toy tree
    umbrella wall watch water wheel wind window wood wool yard"""
)

ENDINGS = _listed(
    """every day|at home|last night|in the end|once again|for a while|after all|all day long|before dinner|on the way|
    with a smile|in the dark|near the door|at last|by the road|so far""",
    "|",
)

NAMES = _listed(
    """Ada Amir Anna Ben Carla Chen Dana David Elena Emil Eva Farid Grace Hana Hugo Ines Ivan Jana Jonas Kira Lara Leo
    Lina Luca Maria Mila Mina Nadia Nils Noor Olga Omar Pablo Petra Priya Rosa Ravi Sara Sami Tara Theo Uma Vera Yuki
    Zoe"""
)

OBJECTS = _listed(
    """apples books buttons candles cards coins cookies crayons cups eggs flowers lemons marbles muffins oranges pears
    pencils photos plates postcards ribbons shells stamps stickers stones tickets tomatoes toys"""
)
