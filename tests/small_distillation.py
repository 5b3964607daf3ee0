"""A teacher that a first run makes, and a recipe whose student learns from it, in seconds."""

from __future__ import annotations

from small_recipes import SMALL
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

HEAD = SMALL.split("[sft]")[0]

TEACHER = (
    HEAD.replace('stages = ["sft", "rlvr"]', 'stages = ["sft"]')
    + """
[sft]
tasks = ["reverse"]
steps = 40
batch_size = 16
learning_rate = 1e-2
"""
)

STUDENT = (
    HEAD.replace('stages = ["sft", "rlvr"]', 'stages = ["distillation"]').replace("seed = 3", "seed = 4")
    + """
[distillation]
tasks = { reverse = 1.0 }
teacher = "TEACHER"
steps = 6
groups_per_step = 8
group_size = 2
teacher_share = 0.25
sampling = { max_new_tokens = 8 }
learning_rate = 1e-2
micro_batch_tokens = 128
checkpoint_every = 2
"""
)


def make_teacher(folder):
    path = folder / "teacher.toml"
    path.write_text(TEACHER)
    return run_recipe(load_recipe(path), runs_root=folder, folder=folder / "teacher", progress=SilentProgress()).folder


def write_student(folder, teacher, text=STUDENT):
    path = folder / "student.toml"
    path.write_text(text.replace("TEACHER", str(teacher)))
    return path
