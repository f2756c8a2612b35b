"""A server of this machine and a real Chromium before it, both for the whole run of the browser tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

RUN = "import sys; from peakwise.cli.main import main; main(sys.argv[1:])"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
# No window, so no graphics: drawing by a processor in their place is what a page of charts would wait for.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
TRIES, PAUSE_S = 200, 0.05  # a server starts in well under ten seconds


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker("browser")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    """The address of a running `peakwise web`."""
    port = _free_port()
    command = [sys.executable, "-c", RUN, "web", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(TRIES):
                try:
                    urllib.request.urlopen(f"{address}/healthz").close()
                    break
                except OSError:
                    assert server.poll() is None, "the server stopped"
                    time.sleep(PAUSE_S)
            yield address
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium without a window."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Watched:
    """One tab, and what it did that a page of ours must not do."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.console: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.console.append(f"pageerror: {error}"))
        page.on("request", lambda request: None if request.url.startswith(base) else self.foreign.append(request.url))

    @property
    def faults(self) -> list[str]:
        """Console messages, page errors and requests to another host."""
        return self.console + self.foreign


@pytest.fixture
def open_tab(browser: Browser, base: str) -> Iterator[Callable[..., Watched]]:
    """Opens a tab in a context of its own: `width`, `script`, `dark`, `locale`."""
    contexts: list[BrowserContext] = []

    def open_one(*, width: int = 1280, script: bool = True, dark: bool = False, locale: str = "en-US") -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=script,
            color_scheme="dark" if dark else "light",
            locale=locale,
            reduced_motion="reduce",
        )
        contexts.append(context)
        return Watched(context.new_page(), base)

    yield open_one
    for context in contexts:
        context.close()
