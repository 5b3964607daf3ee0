"""A place in a sequence of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from tahr.verifiers.math.tokens import END, Token
from tahr.verifiers.math.tree import NotMathError


class Cursor:
    """Reads tokens from left to right; `tokens` may be changed from `place` on."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = list(tokens)
        self.place = 0

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` places further on; END behind the last."""
        index = self.place + ahead
        return self.tokens[index] if index < len(self.tokens) else END

    def take(self) -> Token:
        """The next token, which is then behind."""
        token = self.peek()
        self.place += 1
        return token

    def at(self, *texts: str) -> bool:
        """Whether the next token is one of these marks or commands."""
        token = self.peek()
        return token.kind in {"mark", "command"} and token.text in texts

    def accept(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        if self.at(*texts):
            self.place += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Take this mark. Raises NotMathError where something else stands."""
        if not self.accept(text):
            raise NotMathError(f"{text!r} is missing")

    def accept_circle(self) -> bool:
        """Take an exponent that is the degree sign."""
        if self.accept("circ", "degree"):
            return True
        if self.at("{") and self.peek(1).text == "circ" and self.peek(2).text == "}":
            self.place += 3
            return True
        return False
