"""The screen that `peakwise` alone prints: the six questions, one example each."""

from __future__ import annotations

from peakwise.report.blocks import Document, Entries, Entry, Gap, Sentence, Title
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

PURPOSE = "How much of an accelerator's peak a model really uses, and where the rest goes."
PROMISE = "Every number names its rule and its inputs. Nothing leaves this machine."

VERBS = (
    Entry("count", "How much work is it?", "peakwise count llama-3.1-8b --seq 8192"),
    Entry("measure", "How well does it run?", "peakwise measure train.log --model llama-3.1-8b --chip h100-sxm"),
    Entry("explain", "Where did the rest go?", "peakwise explain train.log --chip h100-sxm"),
    Entry("predict", "What would it be?", "peakwise predict llama-3.1-8b --chip h100-sxm --devices 8"),
    Entry("plan", "Which layout?", "peakwise plan llama-3.1-8b --chip h100-sxm --devices 64"),
    Entry("compare", "Are these the same measure?", "peakwise compare a.log b.log"),
)
BESIDE = (
    Entry("calc", "One calculator", "peakwise calc mfu --params 70B --rate 2000", on_one_line=True),
    Entry("catalog", "Chips and models", "peakwise catalog chips h100", on_one_line=True),
    Entry("web", "All calculators as a page", "peakwise web", on_one_line=True),
)


def describe(version: str, missing: frozenset[str]) -> Document:
    """The welcome screen of one version; `missing` names the verbs that are not there yet."""
    groups = [
        Entries(tuple(entry._replace(ready=entry.name not in missing) for entry in group)) for group in (VERBS, BESIDE)
    ]
    return Document(
        title="Peakwise",
        blocks=(
            Title(f"Peakwise {version}"),
            Sentence(PURPOSE),
            Gap(),
            groups[0],
            Gap(),
            groups[1],
            Gap(),
            Sentence(PROMISE),
            Sentence("Help with examples: peakwise count --help"),
        ),
    )


def render(version: str, missing: frozenset[str], form: Shape = "text", paper: Paper | None = None) -> str:
    """The welcome screen in one form."""
    return draw(describe(version, missing), form, paper)
