"""Start-up is a feature: what a command must not import."""

from __future__ import annotations

import subprocess
import sys

import pytest

WORDS = {
    "calc": ["calc", "mfu", "--workload", "inference", "--params", "70B", "--rate", "2000", "--chip", "h100-sxm"],
    "count": ["count", "deepseek-v3", "--seq", "4096"],
}


@pytest.mark.parametrize("name", WORDS)
def test_a_command_imports_no_heavy_package(name: str) -> None:
    program = (
        "import sys; from peakwise.cli.main import main; code = main(sys.argv[1:]); "
        "print(sorted({'numpy', 'torch', 'transformers', 'rich', 'pydantic'} & set(sys.modules)), file=sys.stderr); "
        "sys.exit(code)"
    )
    ran = subprocess.run([sys.executable, "-c", program, *WORDS[name]], capture_output=True, text=True, check=True)
    assert ran.stderr.splitlines()[-1] == "[]"
