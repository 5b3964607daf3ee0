from ifbench_cases import Case
from ifbench_cases.count import COUNT
from ifbench_cases.custom import CUSTOM
from ifbench_cases.format import FORMAT
from ifbench_cases.ratio import RATIO
from ifbench_cases.repeat import REPEAT
from ifbench_cases.sentence import SENTENCE
from ifbench_cases.words import WORDS

CASES: list[Case] = [*COUNT, *CUSTOM, *FORMAT, *RATIO, *REPEAT, *SENTENCE, *WORDS]
IDS = sorted({case[0] for case in CASES})
