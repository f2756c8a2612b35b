"""The README opens with what the demo prints, and its examples are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from examples import blocks_of, run_command, run_page

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


def _demo() -> str:
    found = re.search(r"(?m)^DEMO := (.*)$", MAKEFILE)
    assert found is not None
    return f"peakwise measure {found.group(1)}"


def test_it_opens_with_the_sentence_and_the_output_of_the_demo() -> None:
    text = README.read_text(encoding="utf-8")
    assert '*"Your log says 34.3 %. It is 30.5 %. Here is why."*' in text.split("```")[0]
    first = next(iter(blocks_of(README)))
    _, out, _ = run_command(_demo())
    assert first.text.strip() == out.strip()


def test_its_examples_run() -> None:
    assert run_page(README) >= 1


def test_its_set_up_commands_are_targets_of_the_makefile() -> None:
    text = README.read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in text
        assert re.search(rf"(?m)^{target}:", MAKEFILE)


def test_the_demo_is_the_command_that_the_project_promises() -> None:
    assert _demo() == (
        "peakwise measure examples/torchtitan-llama-8b.log --model llama-3.1-8b --chip h100-sxm --seq 8192"
    )
