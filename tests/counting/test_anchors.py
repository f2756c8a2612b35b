"""Published and re-derived figures that a count has to give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peakwise.core.errors import ConfigError
from peakwise.core.units import to_giga
from peakwise.verbs.count import count

MAI = Path(__file__).parents[1] / "data/mai-base-1/config.json"


def test_deepseek_v3_is_250_gflop_a_token_by_its_own_rule_and_by_ours() -> None:
    """Its report says 250; causal and full pairs as it quotes both; one MTP module adds 4.07 %."""
    causal, full = (count("deepseek-v3", seq=4096, attention=rule) for rule in ("causal", "full"))
    assert to_giga(causal.flop_per_token) == pytest.approx(250.46, abs=0.005)
    assert to_giga(causal.under("deepseek").flop_per_token) == pytest.approx(249.81, abs=0.005)
    assert to_giga(full.under("deepseek").flop_per_token) == pytest.approx(280.51, abs=0.005)
    more = count("deepseek-v3", seq=4096, mtp="on")
    assert to_giga(more.flop_per_token) == pytest.approx(260.65, abs=0.005)
    assert to_giga(more.flop_per_token - causal.flop_per_token) == pytest.approx(10.19, abs=0.005)
    by_rule = more.under("deepseek").flop_per_token - causal.under("deepseek").flop_per_token
    assert to_giga(by_rule) == pytest.approx(10.18, abs=0.005)
    assert more.parameters == causal.parameters


def test_llama_3_1_8b_at_8192_is_51_causal_and_58_full() -> None:
    work = count("llama-3.1-8b", seq=8192)
    assert to_giga(work.flop_per_token) == pytest.approx(51.471, abs=0.0005)
    assert to_giga(work.under("full").flop_per_token) == pytest.approx(57.913, abs=0.0005)


def test_mai_base_1_has_the_stated_parameters_only_with_half_the_printed_widths(tmp_path: Path) -> None:
    work = count(str(MAI), seq=16384, expect_params=962e9)
    assert to_giga(work.parameters.total) == pytest.approx(962.1, abs=0.05)
    assert work.parameters.matmul == 34_660_314_624
    assert to_giga(work.flop_per_token) == pytest.approx(225.07, abs=0.005)
    config = json.loads(MAI.read_text())
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config | {"tie_word_embeddings": False}))
    assert to_giga(count(str(path), seq=8).parameters.total) == pytest.approx(963.5, abs=0.05)
    path.write_text(json.dumps(config | {"intermediate_size": 13312, "moe_intermediate_size": 10240}))
    with pytest.raises(ConfigError, match=r"1,909\.5"):
        count(str(path), seq=8, expect_params=962e9)
