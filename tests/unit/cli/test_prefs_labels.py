"""The verbs on labels, from files to tables."""

from pathlib import Path

import pytest

from small_labels import pair
from tahr.cli.app import main
from tahr.data.preferences.files import write_pairs


def run(*words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["prefs", *words])
    assert ended.value.code in (0, None)


def test_labels_are_imported_compared_and_used_to_correct_a_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = [pair(f"q{n}", f"good {n}", f"bad {n}", chosen_model="[b]m", rejected_model="other") for n in range(40)]
    write_pairs(Path("pairs.jsonl"), pairs)
    judge = [
        pair(f"q{n}", *((f"bad {n}", f"good {n}") if n % 4 == 0 else (f"good {n}", f"bad {n}"))) for n in range(40)
    ]
    write_pairs(Path("judge.jsonl"), judge)
    rows = [f"{one.id},{'rejected' if n % 2 else 'chosen'}" for n, one in enumerate(pairs[:20])]
    Path("people.csv").write_text("\n".join(["id,label", *rows, "nobody,tie"]))
    run("import", "pairs.jsonl", "people.csv", "--out", "ada.jsonl", "--who", "ada")
    assert "20 labels into ada.jsonl, 1 refused: unknown id" in capsys.readouterr().out
    run("agree", "ada.jsonl", "judge.jsonl")
    said = capsys.readouterr().out
    # people are for the chosen one in 10 of 20, the judge in 15, both in 5: 5 of 20 agree
    assert "0.250" in said and "Cohen's kappa" in said
    run("winrate", "pairs.jsonl", "--judge", "judge.jsonl", "--people", "ada.jsonl", "--model", "[b]m")
    said = capsys.readouterr().out
    assert "How often [b]m wins" in said and "0.750" in said and "0.500" in said
