import os
import subprocess
import sys
from pathlib import Path

import pytest

from tahr import __version__
from tahr.cli import app as program

VERBS = ("train", "check", "eval", "runs", "show", "report", "tasks", "models", "doctor")


def test_the_overview_names_every_verb(tahr):
    result = tahr("--help")
    assert result.code == 0
    assert [verb for verb in VERBS if f"│ {verb} " in result.out] == list(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_two_examples(tahr, verb):
    result = tahr(verb, "--help")
    assert result.code == 0
    assert "Examples" in result.out
    module = getattr(program, {"eval": "evaluate"}.get(verb, verb))
    assert len(module.EXAMPLES) == 2
    for command, _ in module.EXAMPLES:
        assert command in " ".join(result.out.split())


def test_examples_name_recipes_that_exist():
    root = Path(__file__).parents[3]
    commands = [
        command for verb in VERBS for command, _ in getattr(program, {"eval": "evaluate"}.get(verb, verb)).EXAMPLES
    ]
    named = {word for command in commands for word in command.split() if word.startswith("recipes/")}
    assert named
    assert [name for name in sorted(named) if not (root / name).is_file()] == []


def test_an_unknown_verb_or_option_names_the_nearest(tahr):
    verb = tahr("chek", "recipes/tiny.toml")
    assert (verb.code, "Did you mean 'check'?" in verb.err) == (2, True)
    option = tahr("check", "recipes/tiny.toml", "--quite")
    assert (option.code, "--quiet" in option.err) == (2, True)


def test_version(tahr):
    assert tahr("--version").out == f"tahr {__version__}\n"


def test_a_misspelt_key_is_named_with_the_nearest_and_exits_with_2(recipe):
    """Through the installed program itself."""
    recipe.write_text(recipe.read_text().replace("steps = 2", "steps = 2, learning_rat = 1e-5"))
    command = [str(Path(sys.executable).parent / "tahr"), "check", str(recipe)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "unknown key 'rlvr.learning_rat': did you mean 'learning_rate'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_check_and_the_looking_verbs_never_import_torch(python, recipe):
    code = f"""
import sys
from tahr.cli import main
for arguments in (['check', {str(recipe)!r}], ['runs'], ['tasks', 'sort'], ['models'], ['--help']):
    try:
        main(arguments)
    except SystemExit as ended:
        assert not ended.code, (arguments, ended.code)
heavy = [name for name in ('torch', 'matplotlib', 'peft') if name in sys.modules]
print('HEAVY', heavy)
"""
    result = python(code)
    assert result.code == 0, result.err
    assert result.out.endswith("HEAVY []\n")


def test_help_imports_nothing_that_takes_long(python):
    result = python(
        "import sys; from tahr.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'numpy', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    assert result.out.endswith("[]\n")


def fail_with(monkeypatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("tahr.recipe.load.load_recipe", fail)


def test_an_unexpected_error_is_one_line_without_debug(tahr, monkeypatch):
    fail_with(monkeypatch, ZeroDivisionError("by zero\nmore"))
    result = tahr("check", "x.toml")
    assert result.code == 1
    assert result.err == "error: ZeroDivisionError: by zero\n  run again with --debug to see where it happened\n"


@pytest.mark.parametrize("how", ["flag", "variable"])
def test_debug_lets_the_error_through(monkeypatch, how):
    fail_with(monkeypatch, ZeroDivisionError("by zero"))
    if how == "variable":
        monkeypatch.setenv("TAHR_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        program.main(["check", "x.toml", *(["--debug"] if how == "flag" else [])])


@pytest.mark.parametrize(
    ("error", "start"),
    [
        (MemoryError(), "error: memory ran out"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "error: memory ran out"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "error: memory ran out"),
        (OSError(28, "No space left on device", "/data/x"), "error: the disk is full\n  received: /data/x"),
    ],
)
def test_what_ran_out_is_said_with_what_to_lower(tahr, monkeypatch, error, start):
    fail_with(monkeypatch, error)
    result = tahr("check", "x.toml")
    assert result.code == 1
    assert result.err.startswith(start)
    assert ("rlvr.micro_batch_tokens" in result.err) == ("memory" in start)


def test_an_interrupt_exits_with_130(tahr, monkeypatch):
    fail_with(monkeypatch, KeyboardInterrupt())
    assert tahr("check", "x.toml").code == 130


@pytest.mark.slow
def test_a_reader_that_stops_reading_causes_no_noise(recipe):
    command = f"{Path(sys.executable).parent / 'tahr'} check {recipe} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env={**os.environ})
    assert done.stdout.startswith('name = "small"\n')
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_terminal_without_the_characters_and_a_locale_without_the_path_end_nothing(tmp_path):
    folder = tmp_path / "日本"
    folder.mkdir()
    result = subprocess.run(
        [sys.executable, "-m", "tahr", "runs", "--runs", str(folder)],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert b"UnicodeEncodeError" not in result.stderr
    assert result.returncode == 0
