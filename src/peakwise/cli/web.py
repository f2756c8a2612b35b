"""`peakwise web`: the calculators as pages on this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from peakwise.cli.command import Command, Flag, Value
from peakwise.cli.output import write
from peakwise.cli.usage import UsageError
from peakwise.core.errors import MissingExtra
from peakwise.core.units import KILO

EXAMPLE = "peakwise web --port 8000"

HOST, PORT, WORKERS = "127.0.0.1", "8000", "1"
_LAST_PORT = 65535  # 16 bits
_MOST_WORKERS = 256
AT_ONCE = 256  # connections served together; more are answered 503 at once
_IDLE_S = 15  # seconds that an unused connection is kept
_LONGEST_HEAD = 256 * KILO  # bytes of a request's head: twice the longest query that is answered

APPLICATION = "peakwise.web.app:create_app"  # named, not imported: each worker loads it for itself
_NEEDED = ("fastapi", "uvicorn", "jinja2")
_LOG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(message)s", "datefmt": "%H:%M:%S"}},
    "handlers": {"err": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
    "loggers": {
        "peakwise.web": {"handlers": ["err"], "level": "INFO", "propagate": False},
        "uvicorn": {"handlers": ["err"], "level": "WARNING", "propagate": False},
    },
}

_FLAGS = (
    Flag("--host", "host", f"The address to listen on; {HOST}, this machine alone, when absent.", "HOST", HOST),
    Flag("--port", "port", f"The port; {PORT} when absent.", "PORT", PORT),
    Flag("--workers", "workers", f"Processes that serve; {WORKERS} when absent.", "N", WORKERS),
)


def command() -> Command:
    """The command as data."""
    summary = "The calculators as pages, in four languages, with the JSON API beside them."
    return Command("web", summary, (), _FLAGS, run)


def run(values: Mapping[str, Value]) -> None:
    """Serve until interrupted. **Raises** MissingExtra without the extra `web`."""
    host = str(values["host"])
    port, workers = _whole(values, "port", _LAST_PORT), _whole(values, "workers", _MOST_WORKERS)
    for name in _NEEDED:
        if find_spec(name) is None:
            raise MissingExtra(
                "the pages need the extra web",
                where="peakwise web",
                got=f"{name} is not installed",
                expected=", ".join(_NEEDED),
                hint='pip install "peakwise[web]"',
            )
    write(sys.stdout, f"Peakwise on http://{host}:{port}/  (Ctrl+C stops it)\n")
    sys.stdout.flush()
    serve(host, port, workers)


def serve(host: str, port: int, workers: int) -> None:
    """Serve the pages by uvicorn, bounded, with a log of its own: uvicorn's would print the query, the inputs."""
    import uvicorn

    uvicorn.run(
        APPLICATION,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        access_log=False,
        log_config=_LOG,
        server_header=False,
        limit_concurrency=AT_ONCE,
        timeout_keep_alive=_IDLE_S,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )


def _whole(values: Mapping[str, Value], key: str, most: int) -> int:
    """A whole number of a flag. **Raises** UsageError."""
    text = str(values[key])
    if text.isascii() and text.isdigit() and 1 <= int(text) <= most:
        return int(text)
    raise UsageError(
        f"--{key} is a whole number from 1 to {most}",
        where=f"--{key}",
        got=text,
        expected=f"1 to {most}",
        hint=EXAMPLE,
    )
