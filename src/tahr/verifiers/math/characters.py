r"""Mathematical characters as the LaTeX that means the same: roots, Greek letters, relations, sub- and superscripts."""

from __future__ import annotations

import re

_COMMANDS = {
    "\u03c0": "pi", "\u221e": "infty", "\u2264": "le", "\u2a7d": "le", "\u2265": "ge", "\u2a7e": "ge", "\u2260": "ne",
    "\u00b1": "pm", "\u2213": "mp", "\u222a": "cup", "\u2229": "cap", "\u2208": "in", "\u2205": "emptyset",
    "\u2026": "ldots", "\u22ef": "ldots", "\u2216": "setminus", "\u230a": "lfloor", "\u230b": "rfloor",
    "\u2308": "lceil", "\u2309": "rceil", "\u27e8": "langle", "\u27e9": "rangle", "\u2227": "land", "\u2228": "lor",
    "\u2248": "approx", "\u2192": "to", "\u21d2": "implies", "\u2211": "sum", "\u222b": "int", "\u220f": "prod",
    "\u00b0": "degree", "\u2217": "ast", "\u2223": "mid", "\u2261": "equiv", "\u00ac": "neg", "\u2220": "angle",
    "\u25b3": "triangle", "\u211d": "mathbb{R}", "\u2115": "mathbb{N}", "\u2124": "mathbb{Z}", "\u211a": "mathbb{Q}",
    "\u2102": "mathbb{C}",
}  # fmt: skip
_GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
]  # fmt: skip
_SUBSCRIPTS = {chr(0x2080 + digit): str(digit) for digit in range(10)}
_SUPERSCRIPTS = {"\u207f": "n", "\u02e3": "x", "\u207a": "+", "\u207d": "(", "\u207e": ")", "\u2071": "i"}
_TABLE = str.maketrans(
    {mark: f"\\{command} " for mark, command in _COMMANDS.items()}
    | {chr(0x3B1 + place): f"\\{name} " for place, name in enumerate(_GREEK)}
    | {chr(0x391 + place): f"\\{name.capitalize()} " for place, name in enumerate(_GREEK) if name != "varsigma"}
    | {mark: f"_{{{digit}}}" for mark, digit in _SUBSCRIPTS.items()}
    | {mark: f"^{{{letter}}}" for mark, letter in _SUPERSCRIPTS.items()}
    | {"\u2032": "'", "\u2033": "''"}
)
_ROOT = re.compile(r"([\u221a\u221b\u221c]) ?(\d+(?:\.\d+)?|\\[a-z]+|[A-Za-z]|\([^()]*\)|\{[^{}]*\})?")
_INDICES = {"\u221a": "", "\u221b": "[3]", "\u221c": "[4]"}


def in_latex(text: str) -> str:
    r"""`text` (plain: `tahr.verifiers.text.plain`) with every mathematical character in LaTeX.

    >>> in_latex("2√12 ≤ π")
    '2\\sqrt{12} \\le  \\pi '
    """
    if text.isascii():
        return text
    text = text.translate(_TABLE).replace("}_{", "").replace("}^{", "")
    return _ROOT.sub(_root, text)


def _root(match: re.Match[str]) -> str:
    inside = (match[2] or "").strip()
    if inside[:1] in {"(", "{"}:
        inside = inside[1:-1]
    return f"\\sqrt{_INDICES[match[1]]}" + (f"{{{inside}}}" if inside else "")
