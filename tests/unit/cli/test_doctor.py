import pytest

from tahr.cli import doctor
from tahr.cli.console import bytes_text, count_text, time_text


def test_the_machine_its_packages_and_what_is_missing(tahr):
    result = tahr("doctor", "--quick")
    assert result.code == 0
    for word in ("python", "memory", "disk", "GPU", "torch", "pip install 'tahr[wandb]'", "smollm2-135m"):
        assert word in result.out
    assert "hub" not in [line.split()[0] for line in result.out.splitlines() if line.strip()]


def test_the_sandbox_s_level_and_its_gaps(monkeypatch):
    from tahr import sandbox

    found = {
        "namespaces": sandbox.Probe(level="namespaces", works=False, error="not permitted"),
        "rlimits": sandbox.Probe(level="rlimits", works=True, bounded=("memory", "pids")),
    }
    monkeypatch.setattr(sandbox, "probe", found.__getitem__)
    monkeypatch.setattr(sandbox, "best", lambda: "rlimits")
    what, here, more = doctor._sandbox()
    assert (what, more) == ("sandbox", "namespaces: not permitted")
    assert here.startswith("rlimits without Landlock; not covered: files that this user may read or write, memory of ")
    assert "per process" not in here
    found["rlimits"] = sandbox.Probe(level="rlimits", works=True, landlock=1)
    assert doctor._sandbox()[1].startswith("rlimits with Landlock; not covered: which files and processes there are, ")


def test_quick_measures_nothing(tahr, monkeypatch):
    def measured(*_args, **_kwargs):
        raise AssertionError("something was measured")

    monkeypatch.setattr("tahr.recipe.machine.measure_matrix_rate", measured)
    monkeypatch.setattr(doctor, "_rates", measured)
    result = tahr("doctor", "--quick")
    assert result.code == 0
    assert "rate" not in result.out


def test_matrix_rates_are_of_real_products():
    assert 1e8 < doctor._linear_rate(64, 256) < 1e15
    packed = doctor._prepacked_rate(64, 256)
    assert packed is None or 1e8 < packed < 1e15


def test_models_are_listed(tahr):
    result = tahr("models")
    assert result.code == 0
    line = next(line for line in result.out.splitlines() if line.startswith("smollm2-135m"))
    assert "134.5 M" in line
    assert "Qwen/Qwen2.5-1.5B-Instruct" in result.out


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (1500, "1.5 kB"), (5.4e9, "5.4 GB"), (2e13, "20.0 TB")])
def test_bytes(size, text):
    assert bytes_text(size) == text


@pytest.mark.parametrize(("count", "text"), [(12, "12"), (24576, "24.6 k"), (3.1e13, "31.0 T")])
def test_counts(count, text):
    assert count_text(count) == text


@pytest.mark.parametrize(("seconds", "text"), [(59.6, "1 min 0 s"), (42.4, "42 s"), (8000, "2 h 13 min")])
def test_times(seconds, text):
    assert time_text(seconds) == text
