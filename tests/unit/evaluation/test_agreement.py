"""Agreement, against published examples, closed forms and what must not change it."""

import pytest

from small_labels import pair
from tahr.core.errors import InputError
from tahr.core.preferences import JudgmentState
from tahr.data.labels.label import Comparison, Label, make_label
from tahr.evaluation.agreement import agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement

AB = ("a", "b")


def crossed(*cells: tuple[str, str, int]) -> list[dict[str, str]]:
    return [{"a": one, "b": other} for one, other, count in cells for _ in range(count)]


def names(units: list[dict[str, str]]) -> list[str]:
    return [str(place) for place in range(len(units))]


GRANTS = crossed(("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15))


def test_cohen_by_hand_and_its_interval_like_the_analytic_one() -> None:
    # 35/50 agree, 0.5 by chance; standard error 0.1275 after Fleiss, Cohen and Everitt (1969), formula 13
    found = cohen_kappa(GRANTS, names(GRANTS), AB)
    assert found.value == pytest.approx(0.4)
    assert found.low == pytest.approx(0.4 - 1.96 * 0.1275, abs=0.03)
    assert found.high == pytest.approx(0.4 + 1.96 * 0.1275, abs=0.03)
    raw = raw_agreement(GRANTS, names(GRANTS))
    assert raw.value == pytest.approx(0.7)
    assert raw.low == pytest.approx(0.7 - 1.96 * (0.21 / 50) ** 0.5, abs=0.02)


def test_fleiss_as_published() -> None:
    # Fleiss' measure of 14 raters on 10 subjects in 5 categories, the example in general use: 0.210
    table = ["00 00 00 00 14", "00 02 06 04 02", "00 00 03 05 06", "00 03 09 02 00", "02 02 08 01 01"]
    table += ["07 07 00 00 00", "03 02 06 03 00", "02 05 03 02 02", "06 05 02 01 00", "00 02 02 03 07"]
    units = [
        {f"{kind}{one}": str(kind) for kind, count in enumerate(map(int, row.split())) for one in range(count)}
        for row in table
    ]
    assert fleiss_kappa(units, names(units)).value == pytest.approx(0.20993, abs=1e-5)


def test_krippendorff_as_published() -> None:
    # Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: 4 observers, 12 units, nominal 0.743
    observers = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    rows = [one.split() for one in observers]
    units = [{str(who): row[place] for who, row in enumerate(rows) if row[place] != "."} for place in range(12)]
    shared = [unit for unit in units if len(unit) > 1]
    assert krippendorff_alpha(shared, names(shared)).value == pytest.approx(0.743, abs=5e-4)


def test_a_comparison_that_is_repeated_within_its_prompt_adds_no_certainty() -> None:
    once, twice = names(GRANTS), names(GRANTS) * 2
    assert cohen_kappa(GRANTS * 2, twice, AB) == cohen_kappa(GRANTS, once, AB)
    independent = cohen_kappa(GRANTS * 2, names(GRANTS * 2), AB)
    assert independent.low is not None and (independent.low - 0.15) > 0.03


def test_all_agreeing_is_not_certainty_and_one_category_says_nothing() -> None:
    perfect = crossed(("y", "y", 10), ("n", "n", 10))
    found = cohen_kappa(perfect, names(perfect), AB)
    other = 1 - 0.025 ** (1 / 20)
    assert (found.value, found.low, found.high) == (1.0, pytest.approx(1 - other / 0.5), 1.0)
    same = crossed(("y", "y", 10))
    assert cohen_kappa(same, names(same), AB).value is None
    assert raw_agreement(same, names(same)).low == pytest.approx(0.025**0.1)
    never = crossed(("y", "n", 10))
    assert raw_agreement(never, names(never)).high == pytest.approx(1 - 0.025**0.1)


def labels(who: str, verdicts: str, domain: str = "chat") -> list[Label]:
    found: list[Label] = []
    for place, verdict in enumerate(verdicts):
        compared = Comparison.of(pair(f"{domain} {place}", "a", "b", domain=domain))
        state = {"t": JudgmentState.TIE, "x": JudgmentState.NOT_APPLICABLE}.get(verdict, JudgmentState.JUDGED)
        better = {"1": compared.first[0], "2": compared.second[0]}.get(verdict)
        found += [] if verdict == "." else [make_label(compared, who, state, preferred=better)]
    return found


def test_labels_are_joined_ties_are_a_category_and_domains_stand_apart() -> None:
    one = labels("a", "1122t1x.") + labels("a", "12", "code")
    other = labels("b", "1121t2112") + labels("b", "21", "code")
    everything, chat, code = agreement({"a": one, "b": other})
    assert (everything.domain, chat.domain, code.domain) == ("", "chat", "code")
    assert (chat.num_comparisons, chat.num_untied, chat.num_left_out) == (6, 5, 3)
    assert chat.raw.value == pytest.approx(4 / 6)
    # 3 categories: rows 3, 2, 1 and columns 3, 2, 1: (4/6 - 14/36) / (1 - 14/36)
    assert chat.kappa.value == pytest.approx((24 - 14) / (36 - 14))
    # without the tie: 3 of 5, rows 3 and 2, columns 3 and 2: (15 - 13) / (25 - 13)
    assert chat.kappa_untied.value == pytest.approx(2 / 12)
    assert code.kappa.value == pytest.approx(-1.0)
    assert everything.measure == "Cohen's kappa"


def test_three_raters_have_alpha_and_fleiss_where_complete() -> None:
    three = {who: labels(who, verdicts) for who, verdicts in (("a", "1122"), ("b", "1121"), ("c", "1222"))}
    (found,) = agreement(three)
    assert found.measure == "Krippendorff's alpha"
    assert found.raw.value == pytest.approx((1 + 1 / 3 + 1 + 1 / 3) / 4)
    assert found.fleiss is not None and found.fleiss.value == pytest.approx((2 / 3 - 1 / 2) / (1 - 1 / 2))
    (partly,) = agreement({**three, "c": labels("c", "122.")})
    assert partly.fleiss is None


def test_raters_without_a_common_comparison_are_refused() -> None:
    with pytest.raises(InputError, match="no comparison was decided by two"):
        agreement({"a": labels("a", "1"), "b": labels("b", ".2")})
    with pytest.raises(InputError, match="takes two raters"):
        agreement({"a": labels("a", "1")})


def test_one_prompt_shows_no_spread() -> None:
    found = cohen_kappa(GRANTS, ["one"] * len(GRANTS), AB)
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == (None, None)


def test_prompts_that_are_all_alike_are_not_certain_to_stay_so() -> None:
    units = crossed(("y", "n", 5), ("n", "y", 5))
    found = krippendorff_alpha(units, names(units))
    # 1 - 1 / (10 / 19); by Clopper and Pearson up to 0.3085 of all units may agree
    assert found.value == pytest.approx(1 - 1 / (10 / 19))
    assert found.low == pytest.approx(max(-1.0, 1 - 19 / 10))
    assert found.high == pytest.approx(1 - (1 - 0.30850) * 19 / 10, abs=1e-4)
