"""Requirement 91: Python, the command, the API and the page give one answer to every reference case."""

from __future__ import annotations

import html
import json
import math
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from peakwise.calculators.table import find_calculator
from peakwise.cli.main import main
from peakwise.core.declaration import Declaration
from peakwise.core.errors import InputError
from peakwise.verbs.calc import calculate
from peakwise.web.links import path_of
from peakwise.web.texts import LANGUAGES

CASES = json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text(encoding="utf-8"))["cases"]
ANSWERED = [case for case in CASES if case["expect"]["error"] is None]
REFUSED = [case for case in CASES if case["expect"]["error"] is not None]


def _name(case: dict) -> str:
    return f"{case['calculator']}: {case['name']}"


def _fits(results: dict, expect: dict) -> list[str]:
    """The keys of a case whose result is another one."""
    return [key for key, value in expect["results"].items() if not _same(results[key], value, _tolerance(expect, key))]


def _tolerance(expect: dict, key: str) -> float:
    return expect.get("tolerances", {}).get(key, expect["tolerance"])


def _same(value: object, expected: object, tolerance: float) -> bool:
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        assert isinstance(value, int | float)
        return math.isclose(value, expected, rel_tol=tolerance, abs_tol=1e-12 if expected == 0 else 0.0)
    return value == expected


def _command(declaration: Declaration, given: dict, folder: Path) -> list[str]:
    """A case as a command line; a pasted text is a file."""
    words = ["calc", declaration.id, "--json"]
    for key, value in given.items():
        field = declaration.field(key)
        if isinstance(value, bool):
            off = f"--no-{field.flag.removeprefix('--')}"
            words += [field.flag, "on" if value else "off"] if field.on_off else [field.flag if value else off]
        elif field.kind == "text":
            path = folder / "pasted.log"
            path.write_text(value, encoding="utf-8")
            words += [field.flag, str(path)]
        else:
            words += [field.flag, " ".join(map(str, value)) if isinstance(value, list) else str(value)]
    return words


def _hero(text: str) -> str:
    found = re.search(r'<p class="hero[^>]*>(.*?)</p>', text, re.DOTALL)
    assert found is not None
    return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip()


@pytest.mark.parametrize("case", ANSWERED, ids=_name)
def test_requirement_91_python_command_and_api_give_the_results_and_findings_of_a_reference_case(
    client: TestClient, case: dict, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    declaration, expect = find_calculator(case["calculator"]).declaration, case["expect"]
    answer = calculate(case["calculator"], case["inputs"]).to_dict()
    assert main(_command(declaration, case["inputs"], tmp_path)) == 0
    printed = json.loads(capsys.readouterr().out)
    replied = client.post(f"/api/v1/{case['calculator']}", json=case["inputs"]).json()
    for face, document in (("python", json.loads(json.dumps(answer))), ("command", printed), ("api", replied)):
        assert _fits(document["results"], expect) == [], face
        assert sorted(item["code"] for item in document["warnings"]) == sorted(expect["warnings"]), face
        for locale, texts in expect.get("display", {}).items():
            assert {key: document["display"][locale][key] for key in texts} == texts, face


@pytest.mark.parametrize("case", ANSWERED, ids=_name)
def test_requirement_91_the_page_of_a_reference_case_has_its_number_in_every_language(
    client: TestClient, case: dict
) -> None:
    """Each answer names its own link, which carries every input; the page shows what the document displays."""
    declaration = find_calculator(case["calculator"]).declaration
    answer = calculate(case["calculator"], case["inputs"])
    english, _, query = answer.link.partition("?")
    assert english == path_of(declaration, "en")
    for language in LANGUAGES:
        reply = client.get(f"{path_of(declaration, language)}?{query}")
        assert reply.status_code == 200
        assert 'class="error"' not in reply.text
        codes = set(re.findall(r"<code>([EW]_[A-Z_]+)</code>", reply.text))
        beside = {"W_FRACTION", "W_AMBIG"}  # said at the field instead
        assert codes - beside == set(case["expect"]["warnings"]) - beside
        if answer.results[declaration.hero] is None:
            continue  # nothing of this name to compare; the page words what is missing
        texts = answer.display[language]
        assert isinstance(texts, dict)
        number, _, unit = _hero(reply.text).partition(texts[declaration.hero])
        assert number == "", (language, texts[declaration.hero])
        assert re.fullmatch(r"(\u00a0?\D+)?", unit), (language, unit)


@pytest.mark.parametrize("case", REFUSED, ids=_name)
def test_requirement_91_python_and_api_refuse_a_reference_case_at_the_same_field(
    client: TestClient, case: dict
) -> None:
    expected = case["expect"]["error"]
    with pytest.raises(InputError) as caught:
        calculate(case["calculator"], case["inputs"])
    replied = client.post(f"/api/v1/{case['calculator']}", json=case["inputs"])
    assert replied.status_code == 422
    assert (caught.value.field, caught.value.code) == (expected["field"], expected["code"])
    found = [(error["field"], error["code"]) for error in replied.json()["errors"]]
    texts = any(isinstance(value, str) for value in case["inputs"].values())
    assert (expected["field"], expected["code"]) in found or (texts and found[0][0] == expected["field"])
