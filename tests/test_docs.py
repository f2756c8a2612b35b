"""The documentation says what the code is: examples run, generated pages are current, everything has a heading."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import generate
import peakwise
from examples import run_command, run_page
from pages import cli as cli_page
from pages import columns, schemas
from peakwise.calculators.table import CALCULATORS, find_calculator
from peakwise.counting.conventions.table import CONVENTIONS
from peakwise.explaining.causes import KINDS
from peakwise.readers.find import BUILT_IN

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GENERATED = {DOCS / place for place in generate.PAGES}
WRITTEN = [page for page in sorted(DOCS.rglob("*.md")) if page not in GENERATED]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of the docs name files from the root of the repository; output is laid out for 80 columns."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_example_of_a_page_runs(page: Path) -> None:
    run_page(page)


@pytest.mark.parametrize("place", sorted(generate.PAGES))
def test_a_generated_page_is_what_its_generator_writes(place: str) -> None:
    current = (DOCS / place).read_text(encoding="utf-8")
    assert current == generate.PAGES[place](), f"{place} is out of date: make docs"


def test_no_page_of_the_reference_is_left_over() -> None:
    index = DOCS / "reference" / "README.md"
    found = {*(DOCS / "reference").glob("*.md"), *(DOCS / "schemas").glob("*.json")}
    assert found - {index} == GENERATED


def _headings(place: str) -> set[str]:
    text = (DOCS / place).read_text(encoding="utf-8")
    return {match.group(2).replace("`", "").strip() for match in re.finditer(r"(?m)^(#+) (.*)$", text)}


def _first_cells(place: str) -> set[str]:
    return set(re.findall(r"(?m)^\| `([^`]+)` \|", (DOCS / place).read_text(encoding="utf-8")))


def test_every_command_has_a_heading() -> None:
    headings = _headings("reference/cli.md")
    for command in cli_page.commands():
        assert command.path in headings, command.path


def test_every_flag_has_a_heading_under_its_command() -> None:
    text = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    sections = {part.splitlines()[0].strip("`# "): part for part in text.split("\n## ")[1:]}
    for command in cli_page.commands():
        for flag in command.flags:
            assert f"\n### `{flag}" in sections[command.path], f"{command.path} {flag}"


def test_every_flag_that_help_shows_is_documented() -> None:
    """A second look, independent of the generator: the flags that `--help` prints."""
    text = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    for command in cli_page.commands():
        code, out, _ = run_command(f"{command.path} --help")
        assert code == 0
        for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", out)) - {"--help"}:
            assert flag in text, f"{command.path} {flag}"


def test_every_reader_has_a_heading() -> None:
    assert {reader.name for reader in BUILT_IN} <= _headings("reference/readers.md")


def test_every_calculator_has_a_heading_and_a_row_for_each_field_and_result() -> None:
    headings, cells = _headings("reference/calculators.md"), _first_cells("reference/calculators.md")
    for name in CALCULATORS:
        declaration = find_calculator(name).declaration
        assert name in headings
        assert {part.key for part in (*declaration.fields, *declaration.results)} <= cells


def test_every_cause_has_a_heading() -> None:
    assert {kind.cause for kind in KINDS} <= _headings("reference/causes.md")


def test_every_convention_has_a_heading() -> None:
    assert {convention.id for convention in CONVENTIONS} <= _headings("reference/conventions.md")


def test_every_column_has_a_row_under_the_heading_of_its_part() -> None:
    headings, cells = _headings("reference/columns.md"), _first_cells("reference/columns.md")
    for section, (_, keys) in columns.SECTIONS.items():
        assert section in headings
        assert set(keys) <= cells, section


def test_every_name_of_the_package_has_a_heading() -> None:
    offered = {name for name in dir(peakwise) if not name.startswith("__")}
    assert offered <= _headings("reference/python.md")


def test_every_link_of_a_page_leads_to_a_file() -> None:
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


DOCUMENTS = {
    "count": ["peakwise count llama-3.1-8b --seq 8192 --json", "peakwise count deepseek-v3 --seq 4096 --mtp on --json"],
    "explain": [
        "peakwise explain examples/torchtitan-llama-8b.log --model llama-3.1-8b --chip h100-sxm --seq 8192 --json",
        "peakwise explain examples/torchtitan-llama-8b.log --json",
    ],
    "measure": [
        "peakwise measure examples/torchtitan-llama-8b.log --model llama-3.1-8b --chip h100-sxm --seq 8192 --json",
        "peakwise measure examples/torchtitan-llama-8b.log --json",
    ],
    "calc": [
        'peakwise calc mfu --workload inference --params 70B --rate 2000 --peak "989 TFLOP/s" --json',
        "peakwise calc mfu --workload training --params 70B --rate 20000 --chip h100-sxm --devices 8 --json",
    ],
    "catalog-chips": ["peakwise catalog chips h100 --json", "peakwise catalog chips --json"],
    "catalog-models": ["peakwise catalog models llama --json", "peakwise catalog models --json"],
    "error": [
        "peakwise count no-such-model --seq 8192 --json",
        'peakwise calc mfu --workload inference --params 70B --rate 2000 --chip "RTX 9090" --json',
    ],
}


@pytest.mark.parametrize(("name", "command"), [(name, each) for name, all_ in DOCUMENTS.items() for each in all_])
def test_a_document_is_what_its_schema_says(name: str, command: str) -> None:
    """Valid by the schema, and without a key that the schema does not know."""
    code, out, _ = run_command(command)
    assert code == (1 if name == "error" else 0)
    document = json.loads(out)
    schema = json.loads((DOCS / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, _closed(schema))


def test_a_schema_is_kept_for_every_document() -> None:
    assert set(DOCUMENTS) == set(schemas.DOCUMENTS)


def _closed(schema: Any) -> Any:
    """The schema with unknown keys refused wherever it names its keys."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(part) for key, part in schema.items()}
    return {**closed, "additionalProperties": False} if "properties" in closed else closed


def _modules() -> Iterator[str]:
    return (module.name for module in pkgutil.walk_packages(peakwise.__path__, "peakwise."))


@pytest.mark.parametrize("name", sorted(_modules()))
def test_the_examples_of_a_docstring_are_true(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0


# The runner of examples itself.


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    "text",
    [
        "```sh\npeakwise count no-such-model --seq 8\n```\n",
        "```sh exit=1\npeakwise count llama-3.1-8b --seq 8\n```\n",
        "```sh\ncurl example\n```\n",
        "```sh\npeakwise catalog chips h100\n```\n\n```text output\nnothing of the kind\n```\n",
        "```python\n1 + 1  # 3\n```\n",
        "```python\n0.3449  # 0.343: what the log printed\n```\n",
        "```python\nassert False\n```\n",
        "```python\n1 + 1\n",
    ],
)
def test_a_wrong_example_is_found(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssertionError):
        run_page(_page(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        "```sh exit=1\npeakwise count no-such-model --seq 8\n```\n",
        "```python\n0.34288  # 0.343: what the log printed\n1 + 1  # what it gives\n```\n",
        "```text\nnot an example\n```\n",
    ],
)
def test_a_right_example_passes(tmp_path: Path, text: str) -> None:
    run_page(_page(tmp_path, text))


def test_an_example_that_prints_what_the_page_says_passes(tmp_path: Path) -> None:
    command = "peakwise catalog chips h100"
    _, out, _ = run_command(command)
    run_page(_page(tmp_path, f"```sh\n{command}\n```\n\n```text output\n{out}```\n"))
