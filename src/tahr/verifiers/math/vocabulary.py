"""The names that mathematics is written with: functions, LaTeX commands and what they stand for."""

from __future__ import annotations

FUNCTIONS = frozenset([
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot", "arcsec", "arccsc", "sinh",
    "cosh", "tanh", "coth", "sech", "csch", "arsinh", "arcosh", "artanh", "ln", "log", "lg", "exp", "sqrt", "cbrt",
    "abs", "floor", "ceil", "gcd", "lcm", "max", "min", "det", "Re", "Im", "arg", "sgn", "erf", "Gamma", "zeta",
])  # fmt: skip
"""Functions that are known by name, in LaTeX and in plain text."""

SPELLINGS = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "arctg": "arctan", "tg": "tan", "ctg": "cot",
    "cosec": "csc", "asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh", "arcsinh": "arsinh",
    "arccosh": "arcosh", "arctanh": "artanh", "ceiling": "ceil", "sign": "sgn", "root": "sqrt",
}  # fmt: skip
"""Other names of functions."""

MARKS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "le": "<=", "leq": "<=", "leqslant": "<=",
    "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=", "lt": "<", "gt": ">", "ne": "!=",
    "neq": "!=", "pm": "pm", "mp": "mp", "lbrace": "\\{", "rbrace": "\\}", "{": "\\{", "}": "\\}", "vert": "|",
    "lvert": "|", "rvert": "|", "mid": "|", "|": "||", "Vert": "||", "lVert": "||", "rVert": "||", "cup": "cup",
    "cap": "cap", "in": "in", "setminus": "setminus", "backslash": "setminus", "ldots": "...", "dots": "...",
    "cdots": "...", "dotsc": "...", "dotsb": "...", "lfloor": "lfloor", "rfloor": "rfloor", "lceil": "lceil",
    "rceil": "rceil", "langle": "(", "rangle": ")", "lparen": "(", "rparen": ")", "lbrack": "[", "rbrack": "]",
    "land": "and", "wedge": "and", "lor": "or", "vee": "or", "colon": ":", "%": "%", "\\": "\\\\", "newline": "\\\\",
    "to": "to", "rightarrow": "to", "equiv": "equiv", "approx": "approx", "sim": "approx", "simeq": "approx",
    "iff": "iff", "Rightarrow": "iff", "implies": "iff", "Leftrightarrow": "iff", "propto": "propto", "bmod": "mod",
    "mod": "mod", "pmod": "mod", "degree": "degree", "$": "$", "prime": "'", "bigcup": "cup",
}  # fmt: skip
"""LaTeX commands that are marks."""

DROPPED = frozenset([
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "displaystyle",
    "textstyle", "scriptstyle", "limits", "nolimits", "quad", "qquad", ",", ";", ":", "!", "/", "(", ")", "[", "]",
    ">", "thinspace", "enspace", "nonumber", "middle", "hfill", "mathop", "boldsymbol", "mathbf", "mathit", "bm",
    "mathcal", "mathsf", "vec", "overrightarrow", "overleftrightarrow", "hat", "widehat", "tilde", "bar", "overline",
    "underline", "mathord", "mathbin", "ensuremath", "mathstrut", "strut", "protect", "rm", "bf", "it", " ",
    "tiny", "small", "normalsize", "large", "Large", "LARGE", "huge", "Huge",
])  # fmt: skip
"""LaTeX commands that only change the looks."""

ALIASES = {
    "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "dbinom": "binom", "tbinom": "binom", "choose": "choose",
    "varnothing": "emptyset", "empty": "emptyset", "reals": "R", "infin": "infty", "varphi": "phi",
    "varepsilon": "epsilon", "vartheta": "theta",
}  # fmt: skip
"""Other names of LaTeX commands."""

GREEK = frozenset([
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi",
    "Sigma", "Upsilon", "Phi", "Psi", "Omega", "ell", "hbar",
])  # fmt: skip
"""Letters that are LaTeX commands."""

STOPS_ARGUMENT = frozenset([
    "+", "-", "*", "/", "pm", "mp", ")", "]", "}", ",", "=", "<", ">", "<=", ">=", "!=", "|", "||", "rfloor", "rceil",
    "\\}", ":", ";", "&", "\\\\",
])  # fmt: skip
"""Marks that end the argument of a function without brackets."""

SHORT_WORDS = frozenset([
    "no", "on", "yes", "at", "as", "am", "an", "by", "my", "us", "all", "any", "bad", "day", "way", "sad", "mad",
    "man", "ham", "cat", "hat", "not", "and",
])  # fmt: skip
"""Short words that are no product of letters."""

CONSTANT_NAMES = {
    "pi": "pi", "infty": "oo", "infinity": "oo", "inf": "oo", "oo": "oo", "Infinity": "oo",
}  # fmt: skip
"""Names of constants, and the one that a tree has."""

NUMBER_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen",
]  # fmt: skip
"""Whole numbers by name, in order."""
