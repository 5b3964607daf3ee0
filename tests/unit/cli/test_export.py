import json

from small_results import results_run


def test_files_are_named_and_written(tahr, tmp_path):
    root = tmp_path / "runs"
    root.mkdir()
    run = results_run(root)
    done = tahr("export", "eval-sums", "--runs", root, "--to", "inspect-json", "--only", "steps")
    assert done.code == 0
    path = run.folder / "exports" / "inspect-json" / "sums-steps.json"
    assert done.out.split() == [str(path)]
    assert json.loads(path.read_text())["results"]["scores"][0]["metrics"]["mean"]["value"] == 1.0


def test_what_is_wrong_is_said(tahr, tmp_path):
    run = results_run(tmp_path)
    unknown = tahr("export", run.folder, "--to", "inspcet")
    assert (unknown.code, "inspect-json" in unknown.err) == (2, True)
    assert "no evaluation called 'tools'" in tahr("export", run.folder, "--to", "csv", "--only", "tools").err
    assert tahr("export", run.folder).code == 2


def test_the_report_of_an_evaluation_is_its_results(tahr, tmp_path):
    run = results_run(tmp_path)
    done = tahr("report", run.folder)
    assert done.code == 0
    assert "Without and with" in (run.folder / "report.html").read_text()
