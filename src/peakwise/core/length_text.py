"""Lengths of documents as text: the lines of a file, and what `--seq` says of documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from peakwise.core.arrangement import Policy
from peakwise.core.errors import InputError
from peakwise.core.lengths import LONGEST
from peakwise.core.quantiles import Quantile, Quantiles
from peakwise.core.units import from_percent

# More documents than a machine could list in one batch.
MOST_LENGTHS = 10_000_000
# Documents that quantiles stand for where nobody says how many: enough for the 99.9th percentile.
DOCUMENTS = 1_000
# Digits of a number beyond `LONGEST`, which may not be converted.
_TOO_LONG = 12

_POLICIES: dict[str, Policy] = {"pad": "max", "longest": "longest", "grouped": "grouped", "pack": "pack"}
_OPTION = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_QUANTILE = re.compile(r"p([0-9]{1,3}(?:\.[0-9]{1,6})?)")
_EXPECTED = "lengths=FILE or p50=450,p99=2100, and one of pad=4096, longest=8, grouped=8, pack=4096"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsText:
    """What `--seq` said of documents: a file of lengths or their quantiles, and how they are laid out.

    `size`: the slot in tokens of `max` and `pack`, the documents of a batch of `longest` and `grouped`.
    `n_documents`: how many lengths the quantiles stand for.
    """

    file: str = ""
    quantiles: Quantiles | None = None
    n_documents: int = DOCUMENTS
    policy: Policy = "varlen"
    size: int = 1

    @property
    def slot(self) -> int | None:
        """The most tokens that one document may have; None where the layout sets no limit."""
        return self.size if self.policy in ("max", "pack") else None


def parse_documents(plain: str) -> DocumentsText:
    """What `lengths=FILE` or `p50=450,p99=2100` says, with `pad=`, `longest=`, `grouped=` or `pack=` after it.

    **Raises** InputError where an option is unknown or said twice, or a number cannot be read.
    **Example**
    >>> said = parse_documents("lengths=docs.txt,pack=4096")
    >>> said.file, said.policy, said.size
    ('docs.txt', 'pack', 4096)
    """
    key, _, rest = plain.partition("=")
    if key.strip() != "lengths":
        return _read_quantiles(plain)
    name, *parts = rest.split(",")
    while parts and not _OPTION.fullmatch(parts[0]):  # a comma of the file's own name
        name = f"{name},{parts.pop(0)}"
    if not name.strip():
        raise _unreadable("a file of lengths is not named", plain)
    options = _read_options(parts, plain)
    if "docs" in options:
        raise _unreadable("a file says itself how many documents there are", plain)
    return _with_policy(DocumentsText(file=name), options)


def _read_quantiles(plain: str) -> DocumentsText:
    points: list[Quantile] = []
    others: list[str] = []
    for part in plain.split(","):
        name, _, text = part.partition("=")
        quantile = _QUANTILE.fullmatch(name.strip())
        if quantile is None:
            others.append(part)
            continue
        points.append((from_percent(float(quantile.group(1))), _read_whole(text, plain, LONGEST)))
    options = _read_options(others, plain)
    if "longest" in options:
        raise InputError(
            "quantiles do not say in which order the documents come",
            where="--seq",
            got=_short(plain),
            expected="grouped=, pad= or pack=; or the lengths themselves for longest=",
            hint="--seq lengths=FILE,longest=8",
        )
    if not points:
        raise _unreadable("a layout needs lengths", plain)
    n_documents = options.pop("docs", DOCUMENTS)
    return _with_policy(DocumentsText(quantiles=Quantiles(points=tuple(points)), n_documents=n_documents), options)


def _read_options(parts: list[str], plain: str) -> dict[str, int]:
    options: dict[str, int] = {}
    for part in parts:
        found = _OPTION.fullmatch(part)
        if found is None or found.group(1) not in (*_POLICIES, "docs"):
            raise _unreadable(f'documents have no option "{_short(part.strip())}"', plain)
        name = found.group(1)
        if name in options:
            raise _unreadable(f"{name}= is said twice", plain)
        options[name] = _read_whole(found.group(2), plain, MOST_LENGTHS if name == "docs" else LONGEST)
    return options


def _with_policy(said: DocumentsText, options: dict[str, int]) -> DocumentsText:
    chosen = [name for name in options if name in _POLICIES]
    if len(chosen) > 1:
        raise InputError(
            "documents are laid out in one way",
            where="--seq",
            got=" and ".join(f"{name}={options[name]}" for name in chosen),
            expected="one of pad=, longest=, grouped= and pack=",
        )
    if not chosen:
        return said
    return DocumentsText(
        file=said.file,
        quantiles=said.quantiles,
        n_documents=said.n_documents,
        policy=_POLICIES[chosen[0]],
        size=options[chosen[0]],
    )


def _read_whole(text: str, plain: str, most: int) -> int:
    word = text.strip()
    if not (_is_whole(word) and 1 <= int(word) <= most):
        raise InputError(
            "not a whole number of tokens or documents",
            where="--seq",
            got=_short(word) or "nothing",
            expected=f"1 to {most}",
            hint=f"in {_short(plain)}",
        )
    return int(word)


def _unreadable(message: str, plain: str) -> InputError:
    return InputError(
        message, where="--seq", got=_short(plain), expected=_EXPECTED, hint="--seq lengths=FILE,pack=4096"
    )


def parse_lengths(text: str, where: str, slot: int | None = None) -> tuple[int, ...]:
    """Document lengths from text with one length a line; blank lines are skipped. `slot`: the most one may have.

    **Raises** InputError naming the line that is not a positive whole number, or does not fit the slot.
    """
    words = [word for word in map(str.strip, text.splitlines()) if word]
    if not words:
        raise InputError("the file of lengths is empty", where=where, got="no number", expected="one length a line")
    if len(words) > MOST_LENGTHS:
        raise InputError("too many document lengths", where=where, got=f"over {MOST_LENGTHS}", expected="fewer")
    if all(map(str.isascii, words)) and all(map(str.isdigit, words)) and max(map(len, words)) <= _TOO_LONG:
        lengths = tuple(map(int, words))
        if min(lengths) >= 1 and max(lengths) <= (slot or LONGEST):
            return lengths
    found = (_find_fault(line.strip(), f"{where}:{number}", slot) for number, line in enumerate(text.splitlines(), 1))
    raise next(fault for fault in found if fault is not None)


def _find_fault(word: str, at: str, slot: int | None) -> InputError | None:
    """What is wrong with one line of a file of lengths; None where it is a length or blank."""
    if word and not (_is_whole(word) and 1 <= int(word) <= LONGEST):
        return InputError(
            "a document length is out of range" if _is_whole(word) else "a document length is not a whole number",
            where=at,
            got=_short(word),
            expected=f"one whole number a line, 1 to {LONGEST}",
        )
    if word and slot is not None and int(word) > slot:
        return InputError(
            "a document is longer than its slot",
            where=at,
            got=word,
            expected=f"at most {slot}",
            hint="a longer slot, or the lengths after cutting",
        )
    return None


def _is_whole(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _TOO_LONG


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
