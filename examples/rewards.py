"""A plain function as a reward."""


def closeness(text: str, answer: float, *, margin: float = 10.0) -> float:
    """1 for the number itself, less the further away, 0 beyond the margin or for what is no number."""
    try:
        distance = abs(float(text.strip()) - float(answer))
    except ValueError:
        return 0.0
    return max(0.0, 1 - distance / margin)
