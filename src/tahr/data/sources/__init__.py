"""Task sources; importing this package registers tahr's own."""

from tahr.data.sources import arithmetic as arithmetic
from tahr.data.sources import benchmarks as benchmarks
from tahr.data.sources import big_bench_hard as big_bench_hard
from tahr.data.sources import champ as champ
from tahr.data.sources import code as code
from tahr.data.sources import code_rows as code_rows
from tahr.data.sources import countdown as countdown
from tahr.data.sources import files as files
from tahr.data.sources import gym as gym
from tahr.data.sources import hub as hub
from tahr.data.sources import human_eval as human_eval
from tahr.data.sources import letters as letters
from tahr.data.sources import multiple_choice as multiple_choice
from tahr.data.sources import open_questions as open_questions
from tahr.data.sources import reading as reading
from tahr.data.sources import text_constraints as text_constraints
from tahr.data.sources import word_problems as word_problems
