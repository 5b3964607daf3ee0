from fractions import Fraction

import pytest

from tahr.verifiers.numbers import MAX_DIGITS, parse_quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", Fraction(7)),
        ("-7", Fraction(-7)),
        ("+7", Fraction(7)),
        ("007", Fraction(7)),
        ("3.", Fraction(3)),
        (".5", Fraction(1, 2)),
        ("1,234,567.25", Fraction(4938269, 4)),
        ("1 234 567", Fraction(1234567)),
        ("1{,}000{,}000", Fraction(1000000)),
        (r"1\,000\,000", Fraction(1000000)),
        ("3/4", Fraction(3, 4)),
        ("-3/4", Fraction(-3, 4)),
        ("3/-4", Fraction(-3, 4)),
        ("(-3)/4", Fraction(-3, 4)),
        (r"\frac{3}{4}", Fraction(3, 4)),
        (r"-\dfrac{3}{4}", Fraction(-3, 4)),
        (r"\frac{-3}{4}", Fraction(-3, 4)),
        (r"\frac34", Fraction(3, 4)),
        (r"\frac{1}{2^{99}}", Fraction(1, 633825300114114700748351602688)),
        ("3 1/2", Fraction(7, 2)),
        ("-3 1/2", Fraction(-7, 2)),
        ("3 and 1/2", Fraction(7, 2)),
        (r"3\frac{1}{2}", Fraction(7, 2)),
        ("25%", Fraction(1, 4)),
        (r"2.5\%", Fraction(1, 40)),
        ("25 percent", Fraction(1, 4)),
        ("6.02e23", Fraction(602 * 10**21)),
        ("1E-3", Fraction(1, 1000)),
        (r"1 \times 10^{6}", Fraction(1000000)),
        (r"2.5 \cdot 10^{-1}", Fraction(1, 4)),
        ("3 * 10^2", Fraction(300)),
        ("10^{-10}", Fraction(1, 10**10)),
        ("2^10", Fraction(1024)),
        ("2**10", Fraction(1024)),
        (r"0.\overline{6}", Fraction(2, 3)),
        ("0.1(6)", Fraction(1, 6)),
        ("3 million", Fraction(3000000)),
        ("$18.90", Fraction(189, 10)),
        (r"\$18.90", Fraction(189, 10)),
        ("-$5", Fraction(-5)),
        ("$42$", Fraction(42)),
        (r"90^\circ", Fraction(90)),
        (r"5\text{ cm}", Fraction(5)),
        ("5 km/h", Fraction(5)),
        ("5 m^2", Fraction(5)),
        ("42 apples", Fraction(42)),
        ("42.", Fraction(42)),
    ],
)
def test_numbers_as_people_write_them(text: str, value: Fraction) -> None:
    quantity = parse_quantity(text)
    assert quantity is not None
    assert quantity.value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        ".",
        "1.234,5",  # decimal comma or thousands: not decided here
        "1,23",
        "1,2,3",
        "12,34,56",
        "1 2",
        "40 or 42",
        "41 and 42",
        "1+1",
        "3-1",
        "2*3",
        "x",
        "2x",
        "3/0",
        r"\frac{0}{0}",
        "0^-1",
        r"4\sqrt(2)",
        r"4\pi",
        "3 pi",
        "101_2",
        "5!",
        "1:2",
        "12:00",
        "nan",
        "inf",
        "1e",
        "1e5e5",
        "1.2.3",
        "--5",
        "9^9^9",
        "9**9**9",
        "1e999999999",
        "10^999999999",
        "2^{1000000}",
        "1" * (MAX_DIGITS + 1),
    ],
)
def test_what_is_not_one_number_within_bounds(text: str) -> None:
    assert parse_quantity(text) is None


def test_units_are_kept() -> None:
    centimetres, bare = parse_quantity("5 cm"), parse_quantity("5")
    assert centimetres is not None
    assert bare is not None
    assert (centimetres.unit, bare.unit) == ("cm", "")
