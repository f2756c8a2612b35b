"""Every row of the table of flows follows the rules of its head."""

from __future__ import annotations

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.flow import Flow
from peakwise.facts.flows import list_flows, load_flow
from peakwise.facts.model_types import list_model_types
from peakwise.readers.configs.flow import read_flow


@pytest.mark.parametrize("name", list_flows())
def test_a_row_is_of_a_type_that_is_known_and_differs_from_a_llama(name: str) -> None:
    assert name in list_model_types()
    facts = load_flow(name)
    assert facts.flow != Flow() or facts.parallel_fields


def test_rows_are_sorted() -> None:
    assert list(list_flows()) == sorted(list_flows())


def test_a_type_without_a_row_flows_as_a_llama() -> None:
    assert load_flow("llama").flow == Flow()


def test_a_field_of_the_config_says_that_blocks_are_parallel() -> None:
    assert read_flow({}, "gpt_neox").parallel
    assert not read_flow({"use_parallel_residual": False}, "gpt_neox").parallel
    assert read_flow({"parallel_attn": False, "new_decoder_architecture": True}, "falcon").parallel
    assert not read_flow({"parallel_attn": False}, "falcon").parallel
    assert not read_flow({}, "stablelm").parallel


def test_a_flag_that_is_no_flag_is_refused() -> None:
    with pytest.raises(ConfigError, match="no flag"):
        read_flow({"use_parallel_residual": "yes"}, "gpt_neox")
