"""Cut tokens apart where nothing is open: at commas, relations, the words "and" and "or"."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tahr.verifiers.math.tokens import END, Token

_OPENING = frozenset({"(", "[", "{", "\\{", "lfloor", "lceil"})
_CLOSING = frozenset({")", "]", "}", "\\}", "rfloor", "rceil"})
_BEHIND_CLOSING = frozenset({"", "cup", "cap", ",", ";", "setminus", "or", "and", ")", "\\}"})


def depths(tokens: Sequence[Token]) -> list[int]:
    """How many brackets are open at each token, an opening one counted from itself, a closing one up to itself.

    ``]1,2[`` counts as a pair: a "]" opens where nothing is open that it could close, a "[" closes at an end.
    """
    found: list[int] = []
    stack: list[str] = []
    for place, token in enumerate(tokens):
        text = token.text if token.kind in {"mark", "command"} else ""
        behind = tokens[place + 1] if place + 1 < len(tokens) else END
        if _opens(text, stack, behind):
            stack.append(text)
            found.append(len(stack))
            continue
        found.append(len(stack))
        if stack and (text in _CLOSING or text == "[" or text.startswith("end{")):
            stack.pop()
    return found


def _opens(text: str, stack: Sequence[str], behind: Token) -> bool:
    if text == "]":
        return not stack
    if text == "[" and stack and stack[-1] in {"]", "(", "["}:
        return behind.text not in _BEHIND_CLOSING
    return text in _OPENING or text.startswith("begin{")


def split(tokens: Sequence[Token], at: Collection[str]) -> tuple[list[Sequence[Token]], list[str]]:
    """The parts between the marks or words in `at` that stand outside all brackets, and those marks."""
    parts: list[Sequence[Token]] = []
    marks: list[str] = []
    start = 0
    for place, (token, depth) in enumerate(zip(tokens, depths(tokens), strict=True)):
        text = token.text if token.kind == "mark" else token.text.strip().lower()
        if depth == 0 and text in at and (token.kind == "mark" or text in {"and", "or"}):
            parts.append(tokens[start:place])
            marks.append(text)
            start = place + 1
    return [*parts, tokens[start:]], marks


def enclosed(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """The brackets that enclose all the tokens as one pair, or None."""
    if len(tokens) < 2 or tokens[0].kind != "mark" or tokens[-1].kind != "mark":
        return None
    if tokens[0].text not in {"(", "[", "]", "{", "\\{"} or tokens[-1].text not in {")", "]", "[", "}", "\\}"}:
        return None
    inside = depths(tokens)
    return (tokens[0].text, tokens[-1].text) if inside[0] == 1 and min(inside[1:]) >= 1 else None
