"""`peakwise calc`: each calculator's example runs, and every reference case prints the same document as Python."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.cli.calc import EXAMPLES
from peakwise.cli.main import main
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests" / "data" / "golden.json").read_text(encoding="utf-8"))["cases"]


def run(capsys: pytest.CaptureFixture[str], words: list[str]) -> tuple[int, str]:
    code = main(words)
    return code, capsys.readouterr().out


@pytest.mark.parametrize("name", CALCULATORS)
def test_the_example_of_a_calculator_runs_and_stands_in_its_help(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(EXAMPLES[name])[1:]
    assert words[:2] == ["calc", name]
    assert run(capsys, words)[0] == 0
    code, out = run(capsys, ["calc", name, "--help"])
    assert code == 0
    assert f"peakwise calc {name}" in " ".join(out.split())


def typed(case: dict, folder: Path) -> list[str] | None:
    """The command line of a reference case; None where a flag cannot say it (null, a key that is none)."""
    declaration = find_calculator(case["calculator"]).declaration
    flags = {field.key: field for field in declaration.fields}
    words = ["calc", case["calculator"], "--json"]
    for key, value in case["inputs"].items():
        field = flags.get(key)
        if field is None or value is None:
            return None
        if field.kind == "boolean" and isinstance(value, bool):
            off = f"--no-{field.flag.removeprefix('--')}"
            words += [field.flag, "on" if value else "off"] if field.on_off else [field.flag if value else off]
        elif field.kind == "text" and isinstance(value, str):
            path = folder / "pasted.log"
            path.write_text(value, encoding="utf-8")
            words += [field.flag, str(path)]
        elif isinstance(value, list):
            words += [field.flag, " ".join(map(str, value))]
        else:
            words += [field.flag, str(value)]
    return words


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['calculator']}: {case['name']}")
def test_a_reference_case_prints_what_python_answers(
    case: dict, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = typed(case, tmp_path)
    if words is None:
        # No command line says it; the API and Python do, and test_golden holds them to it.
        assert any(value is None for value in case["inputs"].values()) or case["expect"]["error"]["code"] == "E_UNKNOWN"
        return
    code, out = run(capsys, words)
    document = json.loads(out)
    expected = case["expect"]["error"]
    if expected is not None and document["schema"] == "peakwise.error/1":
        assert code == 1
        assert (document["errors"][0]["field"], document["errors"][0]["code"]) == (expected["field"], expected["code"])
        return
    try:
        answer = calculate(case["calculator"], case["inputs"]).to_dict()
    except InputError:
        # A text where JSON wants a number is no error when it is typed.
        assert any(isinstance(value, str) for value in case["inputs"].values())
        return
    assert code == 0
    assert document["results"] == json.loads(json.dumps(answer["results"]))
    assert document["display"] == answer["display"]
    assert [item["code"] for item in document["warnings"]] == [item["code"] for item in answer["warnings"]]
