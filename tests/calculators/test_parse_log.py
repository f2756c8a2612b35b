"""Log intake: which records count, what is refused and under which field, and what a link leaves out."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.calculators.log_records import keep_records
from peakwise.calculators.spread import quantile
from peakwise.core.calculation import Calculation
from peakwise.core.errors import InputError
from peakwise.core.records import Record
from peakwise.verbs.calc import calculate

LINE = " iteration {:8d}/ 10000 | elapsed time per iteration (ms): 20000.0 | throughput per GPU (TFLOP/s/GPU): {} |\n"
DEEPSPEED = "FLOPS per GPU: 450.0 TFLOPS"


def _log(*tflops: float) -> Calculation:
    return calculate("parse-log", {"text": "".join(LINE.format(step, each) for step, each in enumerate(tflops, 1))})


def _refused(**given: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        calculate("parse-log", given)
    return [(error.field, error.code) for error in caught.value.errors]


def _symbol(answer: Calculation, key: str) -> float:
    return answer.symbols[key][0]


def test_five_records_keep_their_first_and_six_drop_three_as_warm_up() -> None:
    assert (_log(1, 2, 3, 4, 5).records, _log(1, 2, 3, 4, 5).used) == (5, 5)
    six = _log(100, 100, 100, 450, 451, 452)
    assert (six.records, six.used, six.flop_per_s_per_device) == (6, 3, 451e12)
    assert (_symbol(six, "dropped_warm_up"), _symbol(six, "dropped_outliers")) == (3, 0)
    assert any("the first 3 are left out as warm-up" in line for line in six.report.rule)


def test_of_five_left_or_more_those_far_from_the_median_are_dropped() -> None:
    answer = _log(100, 100, 100, 450, 451, 449, 450.5, 900)
    assert (answer.used, answer.flop_per_s_per_device) == (4, 450.25e12)
    assert _symbol(answer, "dropped_outliers") == 1
    four = _log(450, 451, 449, 900)
    assert four.used == 4


def test_records_that_are_alike_have_no_outliers() -> None:
    assert _log(450, 450, 450, 450, 450, 450, 450, 450, 900).used == 6


def test_the_spread_is_p10_to_p90() -> None:
    answer = _log(400, 410, 420, 430)
    assert answer.flop_per_s_per_device_p10 == pytest.approx(403e12)
    assert answer.flop_per_s_per_device_p90 == pytest.approx(427e12)


def test_what_the_log_does_not_state_is_null_and_named() -> None:
    lacks = [lack.why.split(":")[0] for lack in _log(450).missing]
    assert lacks == ["tokens_per_s_per_device", "examples_per_s", "total_flop"]


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"text": "hello"}, [("text", "E_FORMAT")]),
        ({"text": "x" * 1_000_001}, [("text", "E_RANGE")]),
        ({"text": 5}, [("text", "E_FORMAT")]),
        ({"text": DEEPSPEED, "format": "deepsped"}, [("format", "E_CHOICE")]),
        ({"text": DEEPSPEED, "format": "torchtune"}, [("text", "E_FORMAT")]),
        ({"text": DEEPSPEED, "time_s": 5}, [("time_s", "E_CONFLICT")]),
        ({"text": DEEPSPEED, "total_flop": 1e9}, [("time_s", "E_REQ"), ("total_flop", "E_CONFLICT")]),
        ({"total_flop": 1e9}, [("time_s", "E_REQ")]),
        ({}, [("text", "E_REQ")]),
    ],
)
def test_a_problem_names_the_field_that_has_it(given: dict[str, object], errors: list[tuple[str, str]]) -> None:
    assert _refused(**given) == errors


def test_two_producers_in_one_text_are_refused_until_one_is_named() -> None:
    text = LINE.format(1, 300) + DEEPSPEED
    assert _refused(text=text) == [("text", "E_FORMAT")]
    assert calculate("parse-log", {"text": text, "format": "deepspeed"}).flop_per_s_per_device == 450e12
    assert calculate("parse-log", {"text": text, "format": "megatron-lm"}).flop_per_s_per_device == 300e12


def test_a_long_text_is_left_out_of_the_link() -> None:
    short = calculate("parse-log", {"text": DEEPSPEED})
    long = calculate("parse-log", {"text": DEEPSPEED + "\n" + "x" * 100_000})
    assert "text=FLOPS" in short.link
    assert long.link == "/en/parse-log?v=1"
    assert short.flop_per_s_per_device == long.flop_per_s_per_device


def test_a_count_by_hand_loads_no_log_reader() -> None:
    script = (
        "import sys\nfrom peakwise.verbs.calc import calculate\n"
        "calculate('parse-log', {'total_flop': 9e15, 'time_s': 20})\n"
        "calculate('finetune-duration', {'examples': 9, 'epochs': 1, 'tokens_per_example': 9, 'tokens_per_s': 9})\n"
        "print('numpy' in sys.modules, 'peakwise.readers.pasted' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


def test_a_record_without_the_judged_figure_stays() -> None:
    speeds = (10.0, 10.1, 9.9, 10.2, 9.8, 99.0)
    records = (
        *(Record(step_s=1.0),) * 3,
        *(Record(tokens_per_s_per_device=each) for each in speeds),
        Record(total_flop=1),
    )
    kept = keep_records(records)
    assert (kept.n_warm_up, kept.n_outliers, len(kept.records)) == (3, 1, 6)
    assert kept.median("total_flop") == 1


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=40), st.floats(0, 1))
def test_a_quantile_lies_between_its_neighbours_and_rises(numbers: list[float], fraction: float) -> None:
    rising = sorted(numbers)
    assert rising[0] <= quantile(rising, fraction) <= rising[-1] * (1 + 1e-12)
    assert quantile(rising, 0) == rising[0]
    assert quantile(rising, 1) == rising[-1]
    assert quantile(rising, fraction / 2) <= quantile(rising, fraction) * (1 + 1e-12)
