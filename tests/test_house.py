"""The house stands as STYLE 1, 2, 5 and 6 say; each checker is tried on a small house that breaks its rule."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conversions import conversion_faults
from floors import FLOORS, floor_faults
from paths import path_faults
from sizes import size_faults, verb_faults

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "peakwise"

# What a cold `calc` or `count` may not load: columns, frameworks, the web stack.
HEAVY = ["numpy", "torch", "transformers", "fastapi", "starlette", "uvicorn", "pydantic", "jinja2", "altair"]


def test_every_import_goes_down_the_floors() -> None:
    assert floor_faults(SOURCE) == []


def test_every_file_and_function_of_the_package_keeps_its_limit() -> None:
    assert size_faults(PACKAGE) == []


@pytest.mark.parametrize("folder", ["tests", "bench", "docs"])
def test_every_file_and_function_beside_the_package_keeps_its_limit(folder: str) -> None:
    assert size_faults(ROOT / folder) == []


def test_every_verb_is_one_desk_of_at_most_forty_lines_without_a_formula() -> None:
    assert verb_faults(PACKAGE / "verbs") == []


def test_units_are_converted_in_one_file_only() -> None:
    assert conversion_faults(SOURCE) == []


def test_nothing_names_a_place_on_a_machine() -> None:
    assert path_faults(ROOT) == []


def test_no_room_is_named_like_a_verb_of_the_api() -> None:
    """A submodule `peakwise.count` would bind over the function `peakwise.count`."""
    import peakwise

    assert not set(dir(peakwise)) & {path.name for path in PACKAGE.iterdir() if path.is_dir()}


def test_every_third_party_import_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["torch"], *extras["web"], *extras["charts"]]
    declared = {_distribution(requirement) for requirement in wanted}
    used = {name.lower() for name in _third_party(SOURCE)}
    assert used <= declared


def _distribution(requirement: str) -> str:
    name = requirement.split(">", maxsplit=1)[0].split("=", maxsplit=1)[0].split("[", maxsplit=1)[0].strip().lower()
    return {"vl-convert-python": "vl_convert"}.get(name, name)


def _third_party(source: Path) -> set[str]:
    import ast

    from floors import imports_of

    tops = {
        found.module.split(".")[0]
        for path in source.rglob("*.py")
        for found in imports_of(ast.parse(path.read_text(encoding="utf-8")), "peakwise")
    }
    return {top for top in tops if top not in ("peakwise", "?") and top not in sys.stdlib_module_names}


def test_constraints_pin_names_and_versions_only() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, equals, version = line.partition("==")
        assert equals, line
        assert name.replace("-", "").replace("_", "").replace(".", "").isalnum(), line
        assert re.fullmatch(r"\d+(\.\d+)*(\.post\d+)?", version), line


def test_every_submodule_is_imported_and_each_verb_still_answers_the_same_twice() -> None:
    import peakwise

    for module in pkgutil.walk_packages(peakwise.__path__, "peakwise."):
        importlib.import_module(module.name)
    counts = [peakwise.count("llama-3.1-8b", seq=4096).to_dict() for _ in range(2)]
    assert counts[0] == counts[1]
    three = {"workload": "inference", "params_b": "70B", "tokens_per_s": 2000, "peak_tflops": "989 TFLOP/s"}
    results = [peakwise.calc.mfu(**three).to_dict() for _ in range(2)]
    assert results[0] == results[1]
    chips = [peakwise.catalog("chips", "h100").to_dict() for _ in range(2)]
    assert chips[0] == chips[1]


@pytest.mark.parametrize(
    "command",
    [
        ["calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--peak", "989 TFLOP/s"],
        ["calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--chip", "h100-sxm", "--json"],
        ["count", "deepseek-v3", "--seq", "4096"],
        ["count", "deepseek-v3", "--seq", "4096", "--json"],
    ],
)
def test_a_cold_calc_or_count_loads_nothing_heavy(command: list[str]) -> None:
    script = (
        "import json, sys\n"
        "from peakwise.cli.main import main\n"
        "try:\n    main(json.loads(sys.argv[1]))\n"
        "finally:\n    print(json.dumps(sorted(name for name in json.loads(sys.argv[2]) if name in sys.modules)),"
        " file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(command), json.dumps(HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stderr.splitlines()[-1]) == []


# The checkers themselves, each on a house of one file that breaks one rule.


def _house(folder: Path, file: str, text: str) -> Path:
    path = folder / "peakwise" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("counting/a.py", "from peakwise.measuring.b import c", "counting (floor 1) imports measuring (floor 2)"),
        ("counting/a.py", "import peakwise.report.text", "counting (floor 1) imports report (floor 1)"),
        ("measuring/a.py", "from peakwise.facts import match", "measuring is arithmetic and imports facts"),
        ("calculators/a.py", "def f():\n    from peakwise.readers.b import c", "is arithmetic and imports readers"),
        ("calculators/a.py", "from ..report import text", "is arithmetic and imports report"),
        ("report/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import peakwise.cli.x", "floor 6"),
        ("facts/a.py", "import importlib\nimportlib.import_module('peakwise.verbs.count')", "floor 5"),
        ("facts/a.py", "from importlib import import_module\nimport_module(name)", "only the running program knows"),
        ("readers/a.py", "from importlib import import_module\nimport_module(f'peakwise.cli.{n}')", "floor 6"),
        ("cli/a.py", "import peakwise", "imports the package root"),
        ("cli/a.py", "from peakwise import count", "imports the package root"),
        ("cli/a.py", "from peakwise.attic.b import c", "which is in no room"),
        ("cli/a.py", "from peakwise.web.b import c", "cli (floor 6) imports web (floor 6)"),
        ("core/a.py", "import msgspec", "not in the standard library"),
        ("core/a.py", "def f():\n    import numpy", "not in the standard library"),
        ("core/a.py", "import logging", "core imports logging"),
        ("verbs/a.py", "from peakwise.counting.total import count_total", "only core types stand there"),
        ("counting/__init__.py", "from peakwise.counting.total import x", "not empty"),
        ("attic/a.py", "", "not in the table of floors"),
        ("a.py", "", "outside every room"),
    ],
)
def test_a_fault_of_the_floors_is_found(tmp_path: Path, file: str, text: str, fault: str) -> None:
    faults = floor_faults(_house(tmp_path, file, text))
    assert any(fault in found for found in faults), faults


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("core/series.py", "import numpy as np"),
        ("core/a.py", "from dataclasses import dataclass\nfrom peakwise.core.units import GIGA"),
        ("verbs/a.py", "from peakwise.core.model import Model\ndef a():\n    from peakwise.counting.total import b"),
        ("measuring/a.py", "from peakwise.counting.total import b"),
        ("cli/a.py", "import typer\nfrom peakwise.verbs.count import count"),
        ("__init__.py", "from peakwise.verbs.count import count"),
    ],
)
def test_what_the_floors_allow_is_no_fault(tmp_path: Path, file: str, text: str) -> None:
    assert floor_faults(_house(tmp_path, file, text)) == []


def test_every_room_of_the_package_is_in_the_table_and_holds_something() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms <= set(FLOORS)
    for room in rooms:
        assert [path for path in (PACKAGE / room).rglob("*") if path.is_file() and path.name != "__init__.py"], room


def _function(lines: int, first: str = "") -> str:
    return f'def f(\n    a: int,\n) -> int:\n    """Gives a.\n\n    More.\n    """\n{first}' + "    a += 1\n" * lines


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("core/utils.py", "", "says nothing: utils"),
        ("helpers/a.py", "", "says nothing: helpers"),
        ("core/a.py", "a = 1\n" * 400, "400 lines, 399 allowed"),
        ("core/a.py", _function(40), "f has 40 lines, 39 allowed"),
        ("core/a.py", "# Long: one table of cases read in order\n" + _function(80), "f has 80 lines, 79 allowed"),
        ("core/a.py", "# Long:\n" + _function(40), "f has 40 lines, 39 allowed"),
    ],
)
def test_a_fault_of_size_or_name_is_found(tmp_path: Path, file: str, text: str, fault: str) -> None:
    faults = size_faults(_house(tmp_path, file, text))
    assert any(fault in found for found in faults), faults


def test_a_signature_a_docstring_and_a_reason_do_not_count_as_length(tmp_path: Path) -> None:
    assert size_faults(_house(tmp_path, "core/a.py", _function(39))) == []
    assert (
        size_faults(_house(tmp_path, "core/a.py", "# Long: one table of cases read in order\n" + _function(78))) == []
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("def b():\n    return 1", "not the one verb a"),
        ("def a():\n    return 1\ndef b():\n    return 1", "not the one verb a"),
        ("def a(x):\n    return 6 * x", "a formula"),
        ("def a(x):\n    x = 1\n" + "    x = 2\n" * 40, "41 lines of verb"),
    ],
)
def test_a_fault_of_a_verb_is_found(tmp_path: Path, text: str, fault: str) -> None:
    faults = verb_faults(_house(tmp_path, "verbs/a.py", text) / "peakwise" / "verbs")
    assert any(fault in found for found in faults), faults


@pytest.mark.parametrize(
    "text",
    ["x / 1e12", "x = 1e9", "x * 1000", "1_000 * x", "x // 1024", "x / 2**30", "1024**3", "x * 10**12", "x *= 1e-3"],
)
def test_a_bare_conversion_is_found(tmp_path: Path, text: str) -> None:
    assert conversion_faults(_house(tmp_path, "counting/a.py", text)) != []


@pytest.mark.parametrize(
    "text", ["LARGEST = 10**12", "LIMIT = 1_000_000_000", "x * 6", "d_model = 1024", "x / GIGA", "Field(high=1e9)"]
)
def test_a_bound_or_a_size_is_no_conversion(tmp_path: Path, text: str) -> None:
    assert conversion_faults(_house(tmp_path, "counting/a.py", text)) == []
    assert conversion_faults(_house(tmp_path, "core/units.py", "TERA = 1e12\nMS = x * 1000")) == []


@pytest.mark.parametrize("folder", ["home", "root", "work", "Users"])
def test_a_machine_path_is_found(tmp_path: Path, folder: str) -> None:
    (tmp_path / "README.md").write_text(f"see `/{folder}/ada/train.log`", encoding="utf-8")
    assert path_faults(tmp_path) != []
    (tmp_path / "README.md").write_text("see examples/train.log, ~/.cache/hub and a/work/day", encoding="utf-8")
    assert path_faults(tmp_path) == []
