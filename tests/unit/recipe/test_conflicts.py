"""Each conflict by the smallest change to a recipe that has none."""

import tomllib
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.losses.presets import PRESETS
from tahr.recipe.conflicts import find_conflicts
from tahr.recipe.findings import Findings
from tahr.recipe.load import parse_recipe, to_toml
from tahr.recipe.overrides import apply_overrides
from tahr.recipe.parts import build_parts

VALUES = {
    "name": "small",
    "stages": ["sft", "rlvr"],
    "model": {"source": "smollm2-135m", "max_context": 256},
    "tasks": {"sums": {"source": "arithmetic"}},
    "sft": {"tasks": ["sums"], "steps": 10},
    "rlvr": {"tasks": {"sums": 1.0}, "steps": 10},
    "eval": {"tasks": ["sums"]},
}


def find(*overrides: str) -> Findings:
    findings = Findings()
    recipe = parse_recipe(apply_overrides(VALUES, overrides), origin=str(Path("test.toml")))
    find_conflicts(recipe, findings)
    return findings


def test_the_recipe_itself_has_none():
    findings = find()
    assert (findings.conflicts, findings.warnings) == ([], [])


@pytest.mark.parametrize("name", PRESETS)
def test_no_algorithm_contradicts_itself(name):
    findings = find(f"rlvr.algorithm={name}")
    assert (findings.conflicts, findings.warnings) == ([], [])


@pytest.mark.parametrize(("given", "nearest"), [("grop", "grpo"), ("GRPO", "grpo"), ("DrGRPO", "dr_grpo")])
def test_an_unknown_algorithm_is_named_at_its_place_with_the_nearest(given, nearest):
    with pytest.raises(InputError, match=f"rlvr.algorithm: unknown algorithm; did you mean '{nearest}'"):
        find(f"rlvr.algorithm={given}")


def test_a_recipe_changes_one_setting_of_an_algorithm():
    recipe = parse_recipe(apply_overrides(VALUES, ["rlvr.algorithm=dapo", "rlvr.loss.clip_low=0.1"]), origin="test")
    assert recipe.rlvr is not None
    assert (recipe.rlvr.loss.clip_low, recipe.rlvr.loss.clip_high, recipe.rlvr.loss.aggregation) == (
        0.1,
        0.28,
        "token_mean",
    )
    # what is written into the run folder is the same recipe again
    assert parse_recipe(tomllib.loads(to_toml(recipe)), origin="test") == recipe


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["sft="], "stages: lists 'sft', but there is no [sft] section"),
        (["stages=['rlvr']"], "sft: the section is there, but `stages` does not list it"),
        (["stages=['sft', 'rlvr', 'rlvr']"], "stages: lists 'rlvr' 2 times"),
        (["rlvr.tasks={sum = 1.0}"], "rlvr.tasks: there is no [tasks.sum]\n    instead: did you mean 'sums'?"),
        (["sft.tasks=['sums', 'sums']"], "sft.tasks: names a task set twice"),
        (["eval.tasks=['other']"], "eval.tasks: there is no [tasks.other]"),
        (["rlvr.tasks={sums = 0.0}"], "rlvr.tasks.sums: a weight must be above 0 (received 0.0)"),
        (["rlvr.tasks={sums = -1.0}"], "rlvr.tasks.sums: a weight must be above 0 (received -1.0)"),
        (["rlvr.sampling.temperature=0"], "rlvr.sampling.temperature: greedy attempts at a task are all alike"),
        (["rlvr.sampling.temperature=1e-300"], "rlvr.sampling.temperature: logits divided by so small a number"),
        (["eval.temperature=1e-40"], "eval.temperature: logits divided by so small a number"),
        (["rlvr.sampling.top_p=0.9"], "rlvr.sampling.top_p: a filter cuts tokens off"),
        (["rlvr.sampling.top_k=50"], "rlvr.sampling.top_k: a filter cuts tokens off"),
        (["rlvr.sampling.min_p=0.1"], "rlvr.sampling.min_p: a filter cuts tokens off"),
        (["rlvr.schedule.updates_per_step=3"], "rlvr.schedule.updates_per_step: a step's groups are split evenly"),
        (["rlvr.schedule.updates_per_step=16"], "rlvr.schedule.updates_per_step: a step's groups are split evenly"),
        (["rlvr.algorithm=ppo", "rlvr.advantage.scale=group"], "rlvr.advantage.scale: a critic's advantages are of"),
        (["rlvr.algorithm=reinforce", "rlvr.advantage.scale=group"], "rlvr.advantage.scale: with the batch's mean as"),
        (["rlvr.algorithm=maxrl", "rlvr.advantage.overlong_share=0.2"], "rlvr.advantage.scale: dividing by a group's"),
        (["rlvr.advantage.gae_lambda=0.9"], "rlvr.advantage.gae_lambda: has an effect with a critic only"),
        (["rlvr.loss.correction.form=truncate"], "rlvr.loss.correction: corrects from the sampler to the proximal"),
        (["rlvr.algorithm=tis", "rlvr.loss.correction.high=0.5"], "rlvr.loss.correction: the bounds leave out 1"),
        (["rlvr.algorithm=gmpo", "rlvr.loss.ratio=sequence"], "rlvr.loss.ratio: gmpo averages over the sequence"),
        (["rlvr.algorithm=rloo", "rlvr.loss.ratio=sequence"], "rlvr.loss.ratio: there is no ratio in it"),
        (["rlvr.loss.dual_clip=1.1"], "rlvr.loss.dual_clip: must lie beyond the clip"),
        (["rlvr.algorithm=sapo", "rlvr.loss.dual_clip=3"], "rlvr.loss.dual_clip: is a part of 'clip'"),
        (["rlvr.loss.clip_low=1.5"], "rlvr.loss.clip_low: a ratio is never below 0"),
        (["rlvr.loss.gates=[0.0, 1.0]"], "rlvr.loss.gates: temperatures are above 0"),
        (["rlvr.group_size=1", "rlvr.algorithm=maxrl"], "rlvr.group_size: with one attempt at a task"),
        (["sft.optimizer.warmup_steps=10"], "sft.optimizer.warmup_steps: the learning rate would never reach its peak"),
        (["rlvr.optimizer.warmup_steps=10"], "rlvr.optimizer.warmup_steps: the learning rate would never reach"),
        (["eval=", "rlvr.evaluate_every=5"], "rlvr.evaluate_every: there is no [eval] section"),
        (["eval.samples_per_task=4"], "eval.samples_per_task: greedy attempts at a task are all alike"),
        (["rlvr.sampling.max_new_tokens=256"], "rlvr.sampling.max_new_tokens: leaves no room for a prompt"),
        (["eval.max_new_tokens=300"], "eval.max_new_tokens: leaves no room for a prompt"),
        (["model.source=scratch", "model.lora={}"], "model.lora: adapters on random weights"),
        (["model.lora={targets=['q_proj', 'q_proj']}"], "model.lora.targets: names a layer twice"),
    ],
)
def test_a_conflict_is_found_and_is_the_only_one(overrides, expected):
    findings = find(*overrides)
    assert len(findings.conflicts) == 1
    assert findings.conflicts[0].startswith(expected)


@pytest.mark.parametrize(
    ("overrides", "refused"),
    [
        ([], True),
        (["rlvr.advantage.baseline=leave_one_out", "rlvr.advantage.scale=none"], True),
        (["rlvr.advantage.baseline=none", "rlvr.advantage.scale=group"], True),
        (["rlvr.advantage.baseline=none", "rlvr.advantage.scale=batch"], False),
        (["rlvr.advantage.baseline=none", "rlvr.advantage.scale=none"], False),
    ],
)
def test_N11_a_group_of_one_is_refused_for_estimators_that_need_a_group(overrides, refused):
    findings = find("rlvr.group_size=1", *overrides)
    assert [conflict.startswith("rlvr.group_size: with one attempt") for conflict in findings.conflicts] == [
        True
    ] * refused


@pytest.mark.parametrize("override", ["threads=100000", "rlvr.sampling.stop=['']"])
def test_values_that_would_break_a_run_are_out_of_bounds(override):
    with pytest.raises(InputError, match=override.partition("=")[0]):
        find(override)


def test_warm_up_counts_updates_not_steps():
    assert find("rlvr.schedule.updates_per_step=2", "rlvr.optimizer.warmup_steps=19").conflicts == []


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["eval="], "eval: without [eval] nothing will show"),
        (["tasks.more={source='countdown'}"], "tasks.more: no stage and no evaluation uses these tasks"),
        (["verifiers.own={verifier='exact'}"], "verifiers.own: no task set names this verifier"),
        (["rlvr.evaluate_every=11"], "rlvr.evaluate_every: longer than the stage"),
    ],
)
def test_what_is_only_odd_is_a_warning(overrides, expected):
    findings = find(*overrides)
    assert findings.conflicts == []
    assert len(findings.warnings) == 1
    assert findings.warnings[0].startswith(expected)


def test_every_wrong_setting_of_every_verifier_is_told_once():
    findings = Findings()
    parts = [
        {"verifier": "numeric", "args": {"plce": "boxed"}},
        {"verifier": "length", "args": {"maxx": 3}, "decides": False},
        {"verifier": "sums", "name": "again"},
    ]
    values = VALUES | {
        "tasks": {
            "sums": {"source": "arithmetic", "num_tasks": 20, "verifier": "mix"},
            "more": {"source": "arithmetic", "num_tasks": 20, "verifier": "sums", "seed": 5},
            "other": {"source": "arithmetic", "num_tasks": 20, "verifier": "numerik", "seed": 6},
            "third": {"source": "arithmetic", "num_tasks": 20, "verifier": "numerik", "seed": 7},
        },
        "verifiers": {
            "mix": {"verifier": "weighted", "args": {"parts": parts}},
            "sums": {"verifier": "numeric", "args": {"place": "bxed", "percent": "wrong"}},
        },
    }
    build_parts(parse_recipe(values, origin="test.toml"), findings)
    faults = (
        "verifiers.mix.args.numeric.plce",
        "verifiers.mix.args.length.maxx",
        "verifiers.sums.args.place",
        "verifiers.sums.args.percent",
    )
    assert [sum(fault in line for line in findings.conflicts) for fault in faults] == [1, 1, 1, 1]
    assert all(any(fault in line for fault in faults) for line in findings.conflicts[:4])
    # a name that nobody knows is a fault of each task set that has it
    assert [line.partition(",")[0] for line in findings.conflicts[4:6]] == ["tasks.other", "tasks.third"]
    assert all("unknown verifier 'numerik'" in line for line in findings.conflicts[4:6])
    assert [line for line in findings.conflicts[6:] if "verifier" in line] == []


def test_a_gate_of_form_on_tasks_without_an_example_is_told_the_way_out():
    values = VALUES | {
        "tasks": {"sums": {"source": "arithmetic", "num_tasks": 20, "verifier": "mix"}},
        "verifiers": {
            "mix": {
                "verifier": "weighted",
                "args": {
                    "mode": "gate",
                    "parts": [{"verifier": "regex", "args": {"pattern": "<a>.*</a>"}}, {"verifier": "numeric"}],
                },
            }
        },
    }
    findings = Findings()
    build_parts(parse_recipe(values, origin="test.toml"), findings)
    assert "needs an example" in findings.conflicts[0]
    assert "decides = false" in findings.conflicts[0]
    values["verifiers"]["mix"]["args"]["parts"][0]["decides"] = False
    findings = Findings()
    build_parts(parse_recipe(values, origin="test.toml"), findings)
    assert findings.conflicts == []


def test_a_task_set_on_a_hub_out_of_reach_is_a_warning_until_the_run():
    findings = Findings()
    hub = '{source = "hub", args = {name = "owner/name", endpoint = "http://127.0.0.1:9"}}'
    recipe = parse_recipe(apply_overrides(VALUES, [f"tasks.sums={hub}"]), origin="test")
    build_parts(recipe, findings)
    assert findings.conflicts == []
    assert "'owner/name' could not be fetched" in findings.warnings[0]


SCORES = 'verifiers.scores = { verifier = "reward_model", args = { model = "run" } }'


def test_a_reward_model_of_this_run_is_trained_before_it_judges():
    assert [line.partition(":")[0] for line in find(SCORES).conflicts] == ["verifiers.scores.args.model"]
    trained = [SCORES, 'reward_model = { tasks = ["sums"], steps = 5 }']
    assert find(*trained, 'stages = ["sft", "reward_model", "rlvr"]').conflicts == []
    assert len(find(*trained, 'stages = ["sft", "rlvr", "reward_model"]').conflicts) == 1


def test_a_judge_that_is_this_runs_reward_model_needs_the_stage_before_it():
    judged = (
        'dpo={steps=10,build={tasks={sums=1.0},judge={kind="reward_model",args={source="run"}}}}',
        'reward_model={tasks=["sums"],steps=10}',
    )
    place = "dpo.build.judge.args.source"
    early, late = (
        [line for line in find(*judged, f"stages={stages}").conflicts if line.startswith(place)]
        for stages in ('["dpo","reward_model"]', '["reward_model","dpo"]')
    )
    assert len(early) == 1 and "no stage before has trained one" in early[0]
    assert late == []
