"""`peakwise web` starts the server as it was asked to, on this machine alone unless told otherwise."""

from __future__ import annotations

import pytest

from peakwise.cli import web
from peakwise.cli.main import main


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    calls: list[tuple[str, int, int]] = []
    monkeypatch.setattr(web, "serve", lambda host, port, workers: calls.append((host, port, workers)))
    return calls


def test_it_serves_this_machine_alone_when_nothing_is_said(
    served: list[tuple[str, int, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web"]) == 0
    assert served == [("127.0.0.1", 8000, 1)]
    assert "http://127.0.0.1:8000/" in capsys.readouterr().out


def test_it_serves_where_and_by_how_many_it_is_told(served: list[tuple[str, int, int]]) -> None:
    assert main(["web", "--host", "0.0.0.0", "--port", "9000", "--workers", "4"]) == 0
    assert served == [("0.0.0.0", 9000, 4)]


@pytest.mark.parametrize("words", [["--port", "0"], ["--port", "70000"], ["--port", "x"], ["--workers", "-1"]])
def test_a_port_or_a_number_of_workers_that_cannot_be_is_wrong_usage(
    served: list[tuple[str, int, int]], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", *words]) == 2
    assert served == []
    assert words[0] in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(web, "find_spec", lambda name: None if name == "uvicorn" else object())
    assert main(["web"]) == 1
    assert 'pip install "peakwise[web]"' in capsys.readouterr().err
