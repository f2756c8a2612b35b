"""Every causal-LM type of the pinned framework: counted to the integer, or refused with the reason."""

from __future__ import annotations

from types import ModuleType

import pytest

from .counted import QUIRKS, Counted, Refused, count
from .drawing import SIZES
from .tables import ALL, ASIDE, LISTED, WIDELY_USED

pytestmark = [pytest.mark.torch, pytest.mark.sweep]

SEEDS = (0, 1)  # the class's own options, and flipped ones
FURTHER = 2  # once more flipped, for the types that many models have
DRAWN = [(name, seed) for name in LISTED for seed in (*SEEDS, *((FURTHER,) if name in WIDELY_USED else ()))]
LEAST_SHARE = 0.8  # of the types that are not set aside


@pytest.mark.parametrize(("model_type", "seed"), DRAWN)
def test_a_listed_type_is_counted_to_the_integer_or_refused(model_type: str, seed: int, framework: ModuleType) -> None:
    """Parameters and forward FLOPs equal the framework's, or the reason is said. No third outcome."""
    small = framework.Small.draw(model_type, seed)
    answer = count(small.document, small.seq_len)
    if isinstance(answer, Refused):
        assert answer.reason
    else:
        assert answer == Counted(n_params=small.n_params(), forward=small.forward())


@pytest.mark.parametrize("model_type", LISTED)
def test_a_config_counts_alike_as_the_framework_saves_it(model_type: str, framework: ModuleType) -> None:
    """A saved file leaves out what the class says by itself; the table of class defaults puts it back."""
    small = framework.Small.draw(model_type, SEEDS[0])
    whole, saved = count(small.document, small.seq_len), count(small.saved, small.seq_len)
    assert isinstance(saved, Refused) == isinstance(whole, Refused)
    assert isinstance(saved, Refused) or saved == whole


@pytest.mark.parametrize("model_type", sorted(ASIDE))
def test_a_type_set_aside_is_never_counted_as_something_else(model_type: str, framework: ModuleType) -> None:
    """An encoder, a state-space model or a composite is refused with the reason, or counted to the integer as well."""
    answer = count(framework.default_document(model_type), seq_len=1)
    if isinstance(answer, Refused):
        assert answer.reason
        return
    small = framework.Small.draw(model_type, SEEDS[0])
    assert count(small.document, small.seq_len) == Counted(n_params=small.n_params(), forward=small.forward())


def test_at_least_four_in_five_are_counted(framework: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """The share of the listed types that is counted is printed, and no widely used one is refused."""
    answers = {name: count(framework.Small.draw(name, SEEDS[0]).document, seq_len=1) for name in LISTED}
    refused = sorted(name for name, answer in answers.items() if isinstance(answer, Refused))
    n_counted = len(LISTED) - len(refused)
    share = f"{n_counted} of {len(LISTED)} decoder types counted to the integer ({n_counted / len(LISTED):.1%})"
    with capsys.disabled():
        print(f"\nsweep: {share}, {len(ASIDE)} of the {len(ALL)} types set aside")
        print(f"refused with the reason: {', '.join(refused)}")
    assert WIDELY_USED.isdisjoint(refused)
    assert n_counted >= LEAST_SHARE * len(LISTED)


def test_the_list_is_the_frameworks_own(framework: ModuleType) -> None:
    """The types are those of the pinned framework, and the tables of the sweep name no other."""
    assert set(ALL) == framework.list_types()
    assert (set(SIZES) | set(QUIRKS) | ASIDE | WIDELY_USED) <= set(ALL)
