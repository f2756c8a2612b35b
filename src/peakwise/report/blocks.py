"""The building blocks of a report: a view lists them, and each renderer draws every one of them.

They are named tuples: eighteen dataclasses would cost a tenth of the start-up budget of `peakwise calc`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from peakwise.core.finding import Finding

Style = Literal["plain", "bold", "dim"]


class Title(NamedTuple):
    """One of the first lines: what ran. `short` says the same in fewer words, for narrow paper."""

    text: str
    short: str = ""


class Hero(NamedTuple):
    """The one number of the report. `about` says in Markdown what the title lines say elsewhere."""

    text: str
    aside: str = ""
    gap: int = 2
    indent: int = 2
    about: str = ""


class Sentence(NamedTuple):
    """A sentence or a heading."""

    text: str
    style: Style = "plain"
    indent: int = 0


class Gap(NamedTuple):
    """A blank line."""


class Gauge(NamedTuple):
    """A ruler from 0 to 100 % of the peak; where bands do not apply they lose their names and `why` says so."""

    fraction: float
    applies: bool = True
    why: str = ""


class Column(NamedTuple):
    """One column of a table. `from_width`: the narrowest paper that shows it. `words`: text that may be cut."""

    head: str
    width: int = 0
    words: bool = False
    from_width: int = 0


class Row(NamedTuple):
    """One row of a table. `span` is a line across all columns instead of cells."""

    cells: tuple[str, ...] = ()
    style: Style = "plain"
    indent: int = 0
    short: str = ""
    span: str = ""


class Over(NamedTuple):
    """A heading centred over the columns `first` to `last`."""

    text: str
    first: int
    last: int


class Table(NamedTuple):
    """A table: its first column holds labels. `margin`: cells kept free at the right when it must shrink."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    over: Over | None = None
    margin: int = 0


class Fact(NamedTuple):
    """One number with its unit, basis and source. `brief`: Markdown keeps it where a table says the rest."""

    label: str
    number: str
    unit: str = ""
    basis: str = ""
    source: str = ""
    brief: bool = True


class Facts(NamedTuple):
    """Facts under a heading, in columns."""

    heading: str
    facts: tuple[Fact, ...]
    brief: bool = False


class Need(NamedTuple):
    """An input that lacks: its name, the question, the flag that gives it, and where to find it."""

    name: str
    question: str
    flag: str
    help: str


class Needs(NamedTuple):
    """What is missing, under a heading."""

    heading: str
    needs: tuple[Need, ...]


class Cause(NamedTuple):
    """A likely cause of an impossible number, what the number would become, and the flag that says so."""

    text: str
    figure: str
    fix: str


class Causes(NamedTuple):
    """The likely causes of a finding."""

    causes: tuple[Cause, ...]


class Command(NamedTuple):
    """A command to copy, alone on its line, with a sentence before it."""

    intro: str
    command: str


class Entry(NamedTuple):
    """A verb of the welcome screen: its question and one example, or that it is not there yet."""

    name: str
    question: str
    example: str
    ready: bool = True
    on_one_line: bool = False


class Entries(NamedTuple):
    """A group of verbs of the welcome screen."""

    entries: tuple[Entry, ...]


class Bar(NamedTuple):
    """One row of a waterfall: its bar from `start` to `end`, fractions of the whole, drawn by what is known of it."""

    label: str
    share: str
    amount: str
    start: float
    end: float
    kind: Literal["whole", "measured", "modelled", "unknown", "ours"]
    evidence: str = ""
    where: str = ""


class Bars(NamedTuple):
    """A waterfall: the whole, what was taken from it, and what is left. `amount_head` names the unit of amounts."""

    amount_head: str
    bars: tuple[Bar, ...]


class Trouble(NamedTuple):
    """An error: its sentence, then labelled lines."""

    message: str
    parts: tuple[tuple[str, str], ...]


Block = Title | Hero | Sentence | Gap | Gauge | Table | Bars | Facts | Needs | Causes | Command | Entries | Trouble


class Warned(NamedTuple):
    """A finding, and the causes that belong to it."""

    finding: Finding
    causes: tuple[Cause, ...] = ()

    @property
    def sentence(self) -> str:
        """What was found, without a full stop; without its causes where they follow as a table."""
        text = self.finding.message.rstrip(".")
        return text.partition(": ")[0] if self.causes else text


class Document(NamedTuple):
    """What a view makes of a value: blocks in order, the findings that follow them, and the rule and version."""

    title: str
    blocks: tuple[Block, ...]
    warned: tuple[Warned, ...] = ()
    footer: str = ""
