r"""Read one expression from tokens: LaTeX and plain text in one grammar.

    sum      product (("+" | "-" | "\pm" | "\mp") product)*
    product  power (("*" | "/") power | power)*              juxtaposed factors are multiplied
    power    "-" power | atom ("!" | "%" | degree)* ["^" exponent]

A whole number in front of a fraction is a mixed number; ``\sin 2x`` takes the whole product behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tahr.verifiers.math import tree
from tahr.verifiers.math.calls import applied, index_word, spelled_index
from tahr.verifiers.math.cursor import Cursor
from tahr.verifiers.math.tokens import END, Token, known_function
from tahr.verifiers.math.tree import Apply, Expression, NotMathError, Number, Symbol, negative, quotient
from tahr.verifiers.math.vocabulary import CONSTANT_NAMES, GREEK, STOPS_ARGUMENT

_CLOSING = {"(": ")", "[": "]", "{": "}", "lfloor": "rfloor", "lceil": "rceil", "|": "|", "\\{": "\\}"}
_GROUPS = {"lfloor": "floor", "lceil": "ceil", "|": "abs"}
_LONGEST_PRODUCT = 3  # letters in a row that may be a product; longer ones are words


def parse(tokens: Sequence[Token]) -> Expression:
    """The expression that all the tokens make. Raises NotMathError where they make none, or one out of bounds."""
    if len(tokens) > tree.MAX_NODES:
        raise NotMathError(f"more than {tree.MAX_NODES} terms and signs")
    parser = _Parser(tokens)
    found = parser.inside()
    if parser.peek() is not END:
        raise NotMathError(f"{parser.peek().text!r} is out of place")
    return found


class _Parser(Cursor):
    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self._depth = 0
        self._bars = 0

    def inside(self) -> Expression:
        """All that a group holds: a sum, or two with ``\\over`` or ``\\choose`` between them."""
        inside = self.sum()
        if self.accept("over"):
            return quotient(inside, self.sum())
        if self.accept("choose"):
            return Apply("binom", (inside, self.sum()))
        return inside

    def sum(self) -> Expression:
        terms = [self.product()]
        while self.at("+", "-", "pm", "mp"):
            sign = self.take().text
            term = self.product()
            terms.append(negative(term) if sign == "-" else Apply(sign, (term,)) if sign in {"pm", "mp"} else term)
        return terms[0] if len(terms) == 1 else Apply("+", tuple(terms))

    def product(self) -> Expression:
        factors = [self.power()]
        while True:
            if self.accept("*"):
                factors.append(self.power())
            elif self.accept("/"):
                factors[-1] = quotient(factors[-1], self.power())
            elif self.accept("%"):
                factors = [quotient(tree.product(factors), Number(Fraction(100)))]
            elif self._starts_factor():
                factors.append(self._juxtaposed(factors[-1]))
            else:
                return tree.product(factors)

    def _starts_factor(self) -> bool:
        token = self.peek()
        if token.kind == "mark":
            return token.text in {"(", "[", "{", "lfloor", "lceil"} or (token.text == "|" and not self._bars)
        if token.kind == "command":
            return token.text not in {"choose", "over", "circ"} and not token.text.startswith("end{")
        return token.kind in {"number", "name", "text"}

    def _juxtaposed(self, left: Expression) -> Expression:
        """A factor without a sign in front. Two numbers side by side are no product."""
        if self.peek().kind == "number":
            raise NotMathError(f"{self.peek().text} directly behind another value")
        return self.power()

    def power(self) -> Expression:
        self._depth += 1
        if self._depth > tree.MAX_DEPTH:
            raise NotMathError(f"nested deeper than {tree.MAX_DEPTH}")
        try:
            if self.accept("-"):
                return negative(self.power())
            if self.accept("+"):
                return self.power()
            if self.at("pm", "mp"):
                return Apply(self.take().text, (self.power(),))
            return self._raised(self._postfix(self.atom()))
        finally:
            self._depth -= 1

    def _raised(self, base: Expression) -> Expression:
        if not self.accept("^"):
            return base
        if self.accept_circle():
            return self._postfix(Apply("*", (base, tree.DEGREE)))
        exponent = self._postfix(self.atom()) if self.at("{") else self.power()
        return self._raised(self._postfix(Apply("^", (base, exponent))))

    def _postfix(self, value: Expression) -> Expression:
        while True:
            if self.at("!") and self.peek(1).text == "!":
                self.place += 2
                value = Apply("double factorial", (value,))
            elif self.accept("!"):
                value = Apply("factorial", (value,))
            elif self.accept("degree"):
                value = Apply("*", (value, tree.DEGREE))
            elif self.at("'") and isinstance(value, Symbol):
                self.place += 1
                value = Symbol(value.name + "'")
            else:
                return value

    def atom(self) -> Expression:
        token = self.take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name" or token.kind == "text":
            return self._named(token)
        if token.kind == "command":
            return self._command(token.text)
        if token.kind == "mark" and token.text in _CLOSING:
            return self._group(token.text)
        raise NotMathError(f"{token.text!r} is out of place" if token.text else "a value is missing")

    def _group(self, opening: str) -> Expression:
        self._bars += opening == "|"
        outer, self._bars = self._bars, int(opening == "|")
        inside = self.inside()
        self.expect(_CLOSING[opening])
        self._bars = outer - (opening == "|")
        head = _GROUPS.get(opening)
        return Apply(head, (inside,)) if head else inside

    def _number(self, token: Token) -> Expression:
        assert token.value is not None
        value = token.value
        if self.at("_"):
            self.take()
            return Apply("base", (Symbol(token.text), self._script()))
        if value.denominator == 1 and (part := self._proper_fraction()) is not None:
            return Number(value + part)
        return Number(value)

    def _proper_fraction(self) -> Fraction | None:
        r"""The fraction of a mixed number such as ``3 1/2`` or ``3\frac{1}{2}``, taken; None where there is none."""
        start, token = self.place, self.peek()
        above: Expression | None = None
        if token.kind == "number" and token.spaced and self.peek(1).text == "/" and self.peek(2).kind == "number":
            self.place += 3
            above = quotient(Number(token.value or Fraction(0)), Number(self.peek(-1).value or Fraction(0)))
        elif token.kind == "command" and token.text == "frac":
            self.place += 1
            above = self._fraction()
        if isinstance(above, Number) and 0 < above.value < 1:
            return above.value
        self.place = start
        return None

    def _fraction(self) -> Expression:
        above, below = self._argument(), self._argument()
        if above == Symbol("d") and isinstance(below, Apply) and below.args[0] == above:
            raise NotMathError("a derivative that is not worked out")
        return quotient(above, below)

    def _argument(self) -> Expression:
        r"""What a command takes: a group in braces, or the next token; of a number, its first digit (``\frac12``)."""
        token = self.peek()
        if token.kind == "number" and len(token.text) > 1 and token.text.isdigit():
            self.tokens[self.place] = Token("number", token.text[1:], Fraction(int(token.text[1:])))
            return Number(Fraction(int(token.text[0])))
        return self.atom()

    def _command(self, name: str) -> Expression:
        if name == "frac":
            return self._fraction()
        if name == "binom":
            return Apply("binom", (self._argument(), self._argument()))
        if name in CONSTANT_NAMES:
            return Symbol(CONSTANT_NAMES[name])
        if name in GREEK:
            return self._indexed(name)
        if name.startswith("begin{"):
            return self._matrix(name[6:-1])
        raise NotMathError(f"\\{name} is not read as an expression")

    def _matrix(self, kind: str) -> Expression:
        if kind not in {"pmatrix", "bmatrix", "matrix", "Bmatrix", "array", "smallmatrix"}:
            raise NotMathError(f"{kind} is not read as an expression")
        rows: list[Expression] = []
        while not self.accept(f"end{{{kind}}}"):
            cells = [self.sum()]
            while self.accept("&"):
                cells.append(self.sum())
            rows.append(Apply("row", tuple(cells)))
            if not self.accept("\\\\") and not self.at(f"end{{{kind}}}"):
                raise NotMathError("a matrix without an end")
        if not rows or len({len(row.args) for row in rows if isinstance(row, Apply)}) != 1:
            raise NotMathError("a matrix with rows of different length")
        return Apply("matrix", tuple(rows))

    def _named(self, token: Token) -> Expression:
        """A function, a constant, or letters that are multiplied."""
        name = token.text.strip()
        if function := known_function(name):
            return self._call(function)
        if name in CONSTANT_NAMES:
            return Symbol(CONSTANT_NAMES[name])
        if name in GREEK:
            return self._indexed(name)
        prefix = next((name[:size] for size in (6, 5, 4, 3, 2) if known_function(name[:size])), None)
        if prefix and len(name) - len(prefix) <= 1:
            self.tokens.insert(self.place, Token("name", name[len(prefix) :]))
            return self._call(known_function(prefix) or prefix)
        if not name.isascii() or not name.isalpha() or len(name) > _LONGEST_PRODUCT:
            raise NotMathError(f"{name[:40]!r} is a word")
        letters: list[Expression] = [Symbol(letter) for letter in name[:-1]]
        letters.append(self._indexed(name[-1]))
        if len(letters) == 1:
            return letters[0]
        letters[-1] = self._raised(letters[-1])
        return Apply("*", tuple(letters))

    def _indexed(self, name: str) -> Expression:
        return Symbol(f"{name}_{spelled_index(self._script())}") if self.accept("_") else Symbol(name)

    def _script(self) -> Expression:
        token = self.peek()
        if token.kind == "name" or token.kind == "text":
            self.take()
            return index_word(token.text)
        if self.at("{") and self.peek(1).kind in {"name", "text"} and self.peek(2).text == "}":
            self.place += 3
            return index_word(self.peek(-2).text)
        return self.atom()

    def _call(self, name: str) -> Expression:
        """A function's application, its index and power in front of the argument allowed."""
        index = self._root_index() if name == "sqrt" else None
        if name == "log" and self.accept("_"):
            index = self._argument()
        exponent = None
        if name != "sqrt" and self.accept("^"):
            exponent = self._argument()
        applied = self._applied(name, index)
        if exponent == tree.MINUS_ONE and "arc" + name in _INVERSES:
            return Apply("arc" + name, applied.args) if isinstance(applied, Apply) else applied
        return applied if exponent is None else Apply("^", (applied, exponent))

    def _root_index(self) -> Expression | None:
        if not self.accept("["):
            return None
        index = self.sum()
        self.expect("]")
        return index

    def _applied(self, name: str, index: Expression | None) -> Expression:
        if name in _SEVERAL and self.at("("):
            return Apply(name, self._list())
        return applied(name, self._argument_of(name), index)

    def _list(self) -> tuple[Expression, ...]:
        self.expect("(")
        found = [self.sum()]
        while self.accept(","):
            found.append(self.sum())
        self.expect(")")
        return tuple(found)

    def _argument_of(self, name: str) -> Expression:
        if self.at("(", "{", "[", "|"):
            return self.atom()
        if name == "sqrt":
            return self.atom()
        factors = [self.power()]
        while self._starts_factor() and not self._starts_function() and self.peek().text not in STOPS_ARGUMENT:
            factors.append(self._juxtaposed(factors[-1]))
        return tree.product(factors)

    def _starts_function(self) -> bool:
        token = self.peek()
        return (token.kind == "name" and known_function(token.text) is not None) or token.text == "("


_INVERSES = frozenset({"arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc"})
_SEVERAL = frozenset({"gcd", "lcm", "max", "min"})
