"""What trains: everything, adapters, the last layers, or everything but the lookup tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peakwise.core.errors import InputError

Kind = Literal["full", "lora", "last", "frozen"]

GRAMMAR = "full, lora:r=16,targets=all|qv|qkvo|NAME+NAME, last:8 or frozen:embed"
# The widest adapter that is no typing error.
MOST_RANK = 100_000
# Words for several linears, and the linears they name.
GROUPS: dict[str, tuple[str, ...]] = {"qv": ("q", "v"), "qkvo": ("q", "k", "v", "o")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Train:
    """Which weights get a gradient.

    `full`: all. `lora`: adapters of `rank` on the linears `targets` (empty: every linear of the blocks but routers),
    in the last `last` layers or in all; `quantised` weights under them change no FLOPs. `last`: the last `last`
    layers, the final norm and, where `head` and it is no tied one, the head. `frozen`: all but the lookup tables.
    """

    kind: Kind = "full"
    rank: int = 0
    targets: tuple[str, ...] = ()
    last: int | None = None
    head: bool = True
    quantised: bool = False

    def text(self) -> str:
        """The value as the command line writes it."""
        match self.kind:
            case "full":
                return "full"
            case "frozen":
                return "frozen:embed"
            case "last":
                return f"last:{self.last}" if self.head else f"last:{self.last},head=frozen"
            case "lora":
                parts = [f"r={self.rank}", f"targets={_name_targets(self.targets)}"]
                if self.last is not None:
                    parts.append(f"last={self.last}")
                return f"{'qlora' if self.quantised else 'lora'}:{','.join(parts)}"


FULL = Train()


def _name_targets(targets: tuple[str, ...]) -> str:
    if not targets:
        return "all"
    return next((word for word, names in GROUPS.items() if names == targets), "+".join(targets))


def parse_train(text: str) -> Train:
    """What trains, from `full`, `lora:r=16,targets=qv,last=8`, `last:8` or `frozen:embed`.

    **Raises** InputError that names what cannot be read.
    """
    kind, colon, rest = text.strip().partition(":")
    if kind == "full" and not colon:
        return FULL
    if kind == "frozen" and rest == "embed":
        return Train(kind="frozen")
    if kind == "last" and colon:
        return _parse_last(rest, text)
    if kind in ("lora", "qlora") and colon:
        return _parse_lora(rest, text, quantised=kind == "qlora")
    raise _refuse(f'cannot read what trains: "{text}"', text)


def _parse_last(rest: str, text: str) -> Train:
    number, comma, head = rest.partition(",")
    if comma and head not in ("head=frozen", "head=trained"):
        raise _refuse(f'"{head}" is not known after last:', text)
    return Train(kind="last", last=_whole(number, "the number of layers", text), head=head != "head=frozen")


def _parse_lora(rest: str, text: str, *, quantised: bool) -> Train:
    said: dict[str, str] = {}
    for part in rest.split(","):
        key, equals, value = part.strip().partition("=")
        if not equals or key not in ("r", "targets", "last") or key in said:
            raise _refuse(f'"{part}" is not known of an adapter, or said twice', text)
        said[key] = value.strip()
    if "r" not in said:
        raise _refuse("the rank of the adapters is missing", text)
    rank = _whole(said["r"], "the rank", text)
    if rank > MOST_RANK:
        raise _refuse(f"a rank of {rank} is too large", text)
    last = _whole(said["last"], "the number of layers", text) if "last" in said else None
    targets = _parse_targets(said.get("targets", "all"), text)
    return Train(kind="lora", rank=rank, targets=targets, last=last, quantised=quantised)


def _parse_targets(word: str, text: str) -> tuple[str, ...]:
    if word == "all":
        return ()
    if word in GROUPS:
        return GROUPS[word]
    names = word.split("+")
    if not all(names) or len(set(names)) != len(names):
        raise _refuse(f'cannot read the targets "{word}"', text)
    return tuple(names)


def _whole(word: str, what: str, text: str) -> int:
    if not (word.isascii() and word.isdigit() and 1 <= len(word) <= 9 and int(word) >= 1):
        raise _refuse(f"{what} must be a whole number of at least 1", text)
    return int(word)


def _refuse(message: str, text: str) -> InputError:
    shown = text if len(text) <= 60 else text[:57] + "…"
    return InputError(
        message,
        where="--train",
        got=shown or "nothing",
        expected=GRAMMAR,
        hint="--train lora:r=16,targets=all",
    )
