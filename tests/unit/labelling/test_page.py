"""The page in a real browser: keys, hostile texts, crashes, and what it looks like at its narrowest."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from small_labels import HOSTILE, desk, pair, pairs, serving
from tahr.data.labels.files import read_labels
from tahr.data.preferences.files import write_pairs

pytestmark = pytest.mark.integration
playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    with playwright.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield one
        one.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    one = browser.new_page(viewport={"width": 800, "height": 700})
    one.set_default_timeout(10_000)
    one.faults = []
    one.on("pageerror", lambda error: one.faults.append(str(error)))
    one.on("console", lambda said: one.faults.append(said.text) if said.type == "error" else None)
    yield one
    one.close()


def at(page: Any, place: int) -> None:
    page.wait_for_selector(f"body[data-place='{place}']")


def verdicts(path: Path) -> list[str]:
    return [str(label.judgment.state) for label in read_labels(path)]


def test_keys_label_undo_and_go_back(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    one = desk(path, pairs(6))
    with serving(one) as server:
        page.goto(server.url)
        at(page, 0)
        shown = [(one.sides(two)[0][0], one.sides(two)[1][0]) for two in one.comparisons]
        for place, key in enumerate(("1", "ArrowRight", "Space", "0", "n"), start=1):
            page.keyboard.press(key)
            at(page, place)
        found = [(label.judgment.preferred, str(label.judgment.state)) for label in read_labels(path)]
        assert found == [
            (shown[0][0], "judged"),
            (shown[1][1], "judged"),
            (None, "tie"),
            (None, "tie"),
            (None, "not_applicable"),
        ]
        page.keyboard.press("u")
        at(page, 4)
        assert verdicts(path) == ["judged", "judged", "tie", "tie"]
        page.keyboard.press("b")
        at(page, 3)
        assert page.locator("button.picked").get_attribute("data-answer") == "tie"
        page.keyboard.press("2")  # another label on the same comparison replaces the first
        at(page, 4)
        page.locator("button[data-answer=left]").click()
        at(page, 5)
        page.keyboard.press("Space")  # the button that was clicked must not be pressed again
        page.wait_for_selector("#end:not([hidden])")
        assert sorted(verdicts(path)) == ["judged"] * 4 + ["tie"] * 2
        assert page.locator("#progress").inner_text() == "6 of 6 labelled"
    assert page.faults == []


def test_hostile_long_and_right_to_left_texts(page: Any, tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {n} " + "of a long answer. " * 30 for n in range(200)) + "x" * 5000
    texts = [pair(HOSTILE, HOSTILE, "b"), pair("q", long, "short"), pair("ما هي عاصمة فرنسا؟", "باريس.", "Rome.")]
    one = desk(tmp_path / "labels.jsonl", texts)
    with serving(one) as server:
        page.goto(server.url)
        at(page, 0)
        assert HOSTILE in page.locator(".answers").inner_text().split("\n")
        assert page.title() == "Which answer is better?"
        assert page.locator("#work img, #work script, #work b b").count() == 0
        page.keyboard.press("f")
        at(page, 1)
        boxes = page.evaluate("[...document.querySelectorAll('.text')].map(e => [e.scrollHeight, e.clientHeight])")
        assert max(high - low for high, low in boxes) > 1000  # the answer scrolls in its box ...
        size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        assert page.evaluate(size) == [800, 700]  # ... and the page doesn't, in either direction
        before = page.evaluate("Math.max(...[...document.querySelectorAll('.text')].map(e => e.scrollTop))")
        page.keyboard.press("ArrowDown")
        after = page.evaluate("Math.max(...[...document.querySelectorAll('.text')].map(e => e.scrollTop))")
        assert (before, after) == (0, 120)
        page.keyboard.press("f")
        at(page, 2)
        directions = page.evaluate(
            "[...document.querySelectorAll('#prompt .turn div, .text')].map(e => getComputedStyle(e).direction)"
        )
        assert sorted(directions) == ["ltr", "rtl", "rtl"]
    assert page.faults == []


def test_a_server_that_was_killed_has_every_label_and_goes_on(page: Any, tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.jsonl", pairs(4))
    labels = tmp_path / "labels.jsonl"
    command = [sys.executable, "-m", "tahr", "prefs", "label", str(tmp_path / "pairs.jsonl"), "--out", str(labels)]
    command += ["--who", "ada", "--no-browser"]

    def start() -> tuple[subprocess.Popen[str], str]:
        # checks that run in the background of a shell ignore Ctrl-C, and hand that on
        listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=listening)
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("label at "))
        return process, line.removeprefix("label at ").strip()

    process, url = start()
    page.goto(url)
    at(page, 0)
    page.keyboard.press("1")
    at(page, 1)
    page.keyboard.press("Space")
    at(page, 2)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    page.keyboard.press("1")
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text().startswith("Not saved")
    assert page.locator("body").get_attribute("data-place") == "2"
    assert verdicts(labels) == ["judged", "tie"]
    process, url = start()
    page.goto(url)
    at(page, 2)
    assert page.locator("#progress").inner_text() == "2 of 4 labelled"
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    assert process.stdout is not None
    assert "2 of 4 labelled" in process.stdout.read()
