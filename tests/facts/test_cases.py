"""The published runs are complete, sourced, and give their published figures again by their own rule."""

from __future__ import annotations

import pytest

from peakwise.calculators.compare_work import PUBLISHED, Asked, side_of_case
from peakwise.core.case import MARKS, Case
from peakwise.core.errors import InputError
from peakwise.core.units import S_PER_HOUR, to_giga
from peakwise.facts.cases import find_case, load_cases
from peakwise.facts.chips import chip_by_id
from peakwise.facts.models import find_model
from peakwise.readers.configs.named import read_named

CASES = load_cases()
OWN = Asked(rule=PUBLISHED, denominator="bf16", mtp=False, model=None, seq_len=None)
COUNTED = [case for case in CASES.values() if case.rule is not None]


def _counted(case: Case) -> Case:
    return case._replace(model=read_named(case.config))


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.id)
def test_a_run_has_a_source_a_date_and_known_names(case: Case) -> None:
    assert case.source
    assert case.date
    assert not case.chip or chip_by_id(case.chip) is not None
    assert not case.config or find_model(case.config) is not None
    assert set(case.marks.values()) <= set(MARKS)
    assert not case.published or case.marks


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.id)
def test_a_runs_own_rule_gives_its_published_figures_again(case: Case) -> None:
    """Within what the publications round away: half a unit of the MFU's last digit, 0.4 % of FLOP/s."""
    side = side_of_case("a", _counted(case), OWN)
    assert side.mfu is not None
    assert side.flop_per_s is not None
    if case.mfu is not None:
        assert side.mfu == pytest.approx(case.mfu, abs=0.005 if case.mfu in (0.2, 0.23) else 0.0005)
    if case.flop_per_s_per_device is not None:
        assert side.flop_per_s == pytest.approx(case.flop_per_s_per_device, rel=0.004)


def test_the_rate_of_mai_base_1_follows_from_its_overhead_and_goodput() -> None:
    case = CASES["mai-base-1-v5"]
    assert case.hours is not None
    assert case.hours.wall_s / S_PER_HOUR == pytest.approx(510)
    assert case.hours.stepping_s / S_PER_HOUR == pytest.approx(459)
    assert case.tokens_per_s_per_device == pytest.approx(30e12 / (459 * 3600 * 8192), rel=1e-12)


def test_flops_of_a_token_are_stored_nowhere() -> None:
    assert not any("flop_per_token" in key or "gflop" in key for key in Case._fields)


def test_every_published_peak_stands_before_the_chips_own() -> None:
    assert CASES["deepseek-v3"].peaks["bf16"] == 989e12
    assert CASES["deepseek-v3"].peaks["fp8"] == 1979e12
    assert CASES["deepseek-v3"].peaks["fp32"] == chip_by_id("h800-sxm").peak_flop_per_s("fp32")  # pyright: ignore


@pytest.mark.parametrize(
    ("name", "length", "gflop"),
    [("deepseek-v3-gb200", 4096, 259.99), ("qwen3-235b-xtuner", 4096, 148.03), ("palm-540b", 2048, 3277.76)],
)
def test_a_run_is_counted_with_its_router_and_modules_as_its_rule_says(name: str, length: int, gflop: float) -> None:
    case = _counted(CASES[name])
    assert case.seq_len == length
    side = side_of_case("a", case, OWN)
    assert side.flop_per_token is not None
    assert to_giga(side.flop_per_token) == pytest.approx(gflop, abs=0.005)


def test_a_run_is_found_by_its_id_and_an_unknown_one_is_refused_with_the_nearest() -> None:
    assert find_case(" MAI_Base 1-v5 ").id == "mai-base-1-v5"
    with pytest.raises(InputError) as caught:
        find_case("mai-base-1-v6")
    assert "mai-base-1-v5" in caught.value.expected
