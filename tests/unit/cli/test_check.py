import pytest


def test_the_resolved_recipe_and_its_estimate_are_printed(tahr, recipe):
    result = tahr("check", recipe)
    assert result.code == 0
    assert 'name = "small"\n' in result.out
    assert "group_size = 8\n" in result.out
    assert "peak" in result.out
    assert "tokens sampled" in result.out
    assert result.out.endswith(f"{recipe}: no conflicts\n")


def test_the_rows_of_memory_are_all_that_the_peak_counts(tahr, recipe):
    assert "copies" in tahr("check", recipe, "--set", "rlvr.algorithm=ppo").out


def test_the_models_beside_the_policy_have_a_table(tahr, recipe):
    result = tahr(
        "check", recipe, "--set", "stages=['dpo', 'rlvr']", "--set", "dpo={steps=1}",
        "--set", "dpo.build={tasks={words=1.0}, num_prompts=10, on_policy_share=0.5, sampling={max_new_tokens=8}}",
        "--set", "dpo.build.models={own={source='smollm2-135m'}, far={url='http://h/v1', model='m'}}",
        "--set", "dpo.build.judge={kind='pairwise', model='far'}",
    )  # fmt: skip
    assert result.code == 0, result.err
    rows = {line.split()[0]: line.split() for line in result.out.partition("beside the policy")[2].splitlines() if line}
    # 2 answers of 8 tokens to each of 10 questions; 12 comparisons of each, of 512 tokens
    assert rows["own"][1:3] == ["134.5", "M"] and rows["own"][-2:] == ["20", "160"]
    assert rows["far"] == ["far", "behind", "a", "server", "0", "B", "120", "61.4", "k"]


def test_overrides_are_resolved_too(tahr, recipe):
    assert "group_size = 4\n" in tahr("check", recipe, "--set", "rlvr.group_size=4").out


def test_all_conflicts_of_all_kinds_come_at_once(tahr, recipe):
    result = tahr(
        "check",
        recipe,
        "--set", "rlvr.group_size=1",
        "--set", "tasks.words.source=revers_text",
        "--set", "tasks.more={source='sort', verifier='exactt', num_tasks=20}",
        "--set", "tasks.third={source='sort', args={max_lenght=3}}",
        "--set", "verifiers.own={verifier='numerik'}",
        "--set", "model.architecture.num_heads=3",
        "--set", "log_to=['trackio']",
    )  # fmt: skip
    assert result.code == 2
    assert result.out == ""
    for part in (
        "rlvr.group_size: with one attempt",
        "tasks.words: unknown task source 'revers_text'",
        "did you mean 'reverse_text'?",
        "unknown verifier 'exactt'",
        "did you mean 'exact'?",
        "did you mean 'max_length'?",
        "verifiers.own: unknown verifier 'numerik'",
        "did you mean 'numeric'?",
        "num_heads",
    ):
        assert part in result.err, part


def test_prompts_too_long_for_the_context_are_counted(tahr, recipe):
    result = tahr("check", recipe, "--set", "model.max_context=24")
    assert result.code == 2
    # start, user, "reverse: " and up to 8 letters, end, assistant: 21 tokens
    assert "rlvr.sampling.max_new_tokens: the longest prompt has 21 tokens" in result.err
    assert "21 + 8 = 29, model.max_context = 24" in result.err


def test_gold_answers_too_long_for_the_context_are_counted(tahr, recipe):
    result = tahr(
        "check", recipe, "--set", "model.max_context=29", "--set", "stages=['sft', 'rlvr']",
        "--set", "sft={tasks=['words'], steps=5}",
    )  # fmt: skip
    assert result.code == 2
    # 21 tokens of prompt, 8 letters, end
    assert "sft.tasks: the longest prompt with its gold answer has 30 tokens" in result.err
    assert "has 1 conflict" in result.err


def test_characters_outside_the_alphabet_are_a_conflict(tahr, recipe):
    result = tahr("check", recipe, "--set", "model.architecture.alphabet=abc")
    assert result.code == 2
    assert "characters that the model's vocabulary lacks" in result.err


def test_an_empty_split_is_a_conflict(tahr, recipe):
    result = tahr("check", recipe, "--set", "tasks.words.test_percent=0")
    assert result.code == 2
    assert "eval.tasks: the test split of the task set 'words' is empty" in result.err


def test_a_held_out_split_smaller_than_asked_for_is_a_warning(tahr, recipe):
    result = tahr("check", recipe, "--set", "eval.num_tasks=150")
    assert result.code == 0
    assert "warning: eval.num_tasks: the test split of 'words' has only " in result.out


def test_a_model_folder_without_weights_is_named(tahr, recipe, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    result = tahr("check", recipe, "--set", f"model.source={folder}", "--set", "model.architecture=")
    assert result.code == 2
    assert str(folder) in result.err


def test_a_hub_model_of_unknown_size_is_no_conflict(tahr, recipe):
    result = tahr("check", recipe, "--set", "model.source=nobody/nothing", "--set", "model.architecture=")
    assert result.code == 0
    assert "warning: model.source: is not in the local hub cache" in result.out


def test_a_misspelt_adapter_target_names_the_nearest(tahr, recipe):
    result = tahr(
        "check", recipe, "--set", "model.source=smollm2-135m", "--set", "model.architecture=",
        "--set", "model.lora={targets=['q_prj']}",
    )  # fmt: skip
    assert result.code == 2
    assert "did you mean 'q_proj'?" in result.err


def test_a_gpu_that_is_not_there_is_a_conflict(tahr, recipe, monkeypatch):
    monkeypatch.setattr("tahr.recipe.machine.find_gpu", lambda: None)
    result = tahr("check", recipe, "--set", "model.device=cuda")
    assert result.code == 2
    assert "model.device: this machine has no CUDA GPU (received cuda)" in result.err


@pytest.mark.slow
def test_a_module_of_the_working_folder_can_be_named(tmp_path):
    """Through the installed command, where Python itself does not look into the working folder."""
    import subprocess
    import sys

    (tmp_path / "mine.py").write_text(
        "class Any:\n    def check_task(self, task): ...\n    def gold(self, task): return 'a'\n"
        "    def verify(self, task, text):\n        from tahr.core.types import passed\n        return passed()\n"
    )
    (tmp_path / "recipe.toml").write_text(
        'name = "a"\nstages = ["sft"]\n[model]\nsource = "scratch"\nmax_context = 64\n[model.architecture]\n'
        '[tasks.t]\nsource = "reverse_text"\nverifier = "mine:Any"\n[sft]\ntasks = ["t"]\nsteps = 1\n'
    )
    command = [sys.executable, "-I", "-c", "from tahr.cli import main; main(['check', 'recipe.toml'])"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
