"""What is run: sequences and their lengths, the pass, the attention rule, what is recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from peakwise.core.errors import InputError, Json
from peakwise.core.lengths import LONGEST, Lengths
from peakwise.core.training import FULL, Train

if TYPE_CHECKING:  # most workloads have one length, and their start-up need not pay for these
    from peakwise.core.arrangement import Arrangement
    from peakwise.core.length_text import DocumentsText
    from peakwise.core.quantiles import Quantiles

Mode = Literal["train", "forward"]
Attention = Literal["causal", "full"]
SsmRule = Literal["recurrent", "reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute:
    """Which blocks' forward is run again in the backward pass.

    `none`; `selective`: the attention scores of every block; `full`: every block; `every`: one block in `every`.
    `early_stop`: the last matmul of what is redone is not (PyTorch's checkpoint). `reentrant`: gradients pass a block
    only where its input needs one, so that of the first block is made to. `flash_backward`: the backward kernel of
    flash attention runs Q·Kᵀ again, whatever the policy.
    """

    policy: Literal["none", "selective", "full", "every"] = "none"
    every: int = 1
    early_stop: bool = False
    flash_backward: bool = False
    reentrant: bool = False

    def text(self) -> str:
        """The policy as the command line writes it."""
        return f"every:{self.every}" if self.policy == "every" else self.policy

    def words(self) -> str:
        """The policy and what it is declared with, for a person."""
        early = ["stopping early"] if self.early_stop else []
        early += ["reentrant"] if self.reentrant else []
        flash = ["Q·Kᵀ again in the flash backward"] if self.flash_backward else []
        return ", ".join([self.text(), *early, *flash])


def parse_recompute(text: str) -> Recompute:
    """A recompute policy from `none`, `selective`, `full` or `every:N`.

    **Raises** InputError for any other text.
    """
    if text in ("none", "selective", "full"):
        return Recompute(policy=text)
    head, colon, number = text.partition(":")
    if head == "every" and colon and number.isascii() and number.isdigit() and int(number) >= 1:
        return Recompute(policy="every", every=int(number))
    raise InputError(
        f'unknown recompute policy "{text}"',
        where="--recompute",
        got=text,
        expected="none, selective, full or every:N",
        hint="--recompute full",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The samples of one count. Either `batch` samples of the given sizes, or packed documents of `lengths`.

    `seq_len`: text tokens of a sample (of an encoder-decoder the decoder's); `encoder_len`: its encoder's; `image`:
    pixels along a side; `mel`: audio frames. With `lengths` the documents do not see each other; `arranged`: the slots
    they fill, where there is padding; `quantiles`: what the lengths were drawn from. `masked`: tokens of a sample that
    lie outside the loss, on average. `ssm_rule`: the definition of a scan core (`recurrent`: the FLOPs of the
    recurrence; `reference`: of the library's chunked matmuls).
    """

    seq_len: int | None = None
    encoder_len: int | None = None
    image: int | None = None
    mel: int | None = None
    batch: int = 1
    lengths: tuple[int, ...] = ()
    arranged: Arrangement | None = None
    quantiles: Quantiles | None = None
    masked: float | None = None
    mode: Mode = "train"
    attention: Attention = "causal"
    train: Train = FULL
    recompute: Recompute = Recompute()
    mtp: bool = False
    ssm_rule: SsmRule = "recurrent"

    def __post_init__(self) -> None:
        for size in (self.seq_len, self.encoder_len, self.image, self.mel):
            if size is not None:
                _length("--seq", size)
        _length("--batch", self.batch)
        documents = Lengths.of(self.lengths)
        object.__setattr__(self, "lengths", documents)
        for length, _ in (*documents.by_length[:1], *documents.by_length[-1:]):
            _length("--seq lengths", length)
        assert self.arranged is None or self.arranged.tokens == documents.total
        if self.masked is not None:
            self._check_masked(self.masked)

    def _check_masked(self, masked: float) -> None:
        mean = self.tokens / self.n_sequences
        if self.mode == "forward":
            raise _masked("nothing trains in a forward pass", f"{masked:g} with --mode forward", "--mode train")
        if not self.tokens:
            raise _masked("a work without text has no tokens outside the loss", f"{masked:g}", "a length of text")
        if not (math.isfinite(masked) and 0 <= masked <= mean):
            raise _masked("the tokens outside the loss are part of a text", f"{masked:g}", f"0 to {mean:g}, the mean")

    @property
    def tokens(self) -> int:
        """Useful text tokens of the whole workload, an encoder's and a decoder's together; 0 where there is no text."""
        if self.lengths:
            return Lengths.of(self.lengths).total
        return self.batch * ((self.seq_len or 0) + (self.encoder_len or 0))

    @property
    def tokens_processed(self) -> int:
        """Tokens that are run, padding included."""
        return self.arranged.slots if self.arranged else self.tokens

    @property
    def tokens_trained(self) -> float | None:
        """Tokens that the loss sees; None where nobody said how many it does not."""
        if self.masked is None:
            return None
        trained = self.tokens - self.masked * self.n_sequences
        return int(trained) if trained == int(trained) else trained

    @property
    def by_length(self) -> Iterable[tuple[int, int]]:
        """Lengths of the sequences, and how many sequences have each."""
        if self.lengths:
            return Lengths.of(self.lengths).by_length
        return [(self.seq_len, self.batch)] if self.seq_len else []

    @property
    def n_sequences(self) -> int:
        """Sequences, or documents where lengths are given."""
        return len(self.lengths) if self.lengths else self.batch

    def to_dict(self) -> Json:
        """The `workload` of the count document."""
        return {
            "seq_len": self.seq_len,
            "encoder_len": self.encoder_len,
            "image": self.image,
            "mel": self.mel,
            "batch": self.batch,
            "documents": len(self.lengths) or None,
            "tokens": self.tokens or None,
            "tokens_useful": self.tokens or None,
            "tokens_processed": self.tokens_processed or None,
            "tokens_trained": self.tokens_trained,
            "masked": self.masked,
            "padding": self.arranged.text() if self.arranged else None,
            "bins": self.arranged.bins if self.arranged else None,
            "attention_ratio": self.arranged.attention_ratio if self.arranged else None,
            "quantiles": self.quantiles.text() if self.quantiles else None,
            "mode": self.mode,
            "attention": self.attention,
            "mtp": "on" if self.mtp else "off",
            "train": self.train.text(),
            "recompute": self.recompute.text(),
            "early_stop": self.recompute.early_stop,
            "flash_backward": self.recompute.flash_backward,
            "reentrant": self.recompute.reentrant,
            "ssm_rule": self.ssm_rule,
        }


def _masked(message: str, got: str, expected: str) -> InputError:
    return InputError(message, where="--masked", got=got, expected=expected)


def _length(where: str, value: int) -> None:
    if not 1 <= value <= LONGEST:
        raise InputError(
            "a length must be a whole number of tokens",
            where=where,
            got=str(value),
            expected=f"1 to {LONGEST}",
            hint=f"{where} 4096",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeqText:
    """What `--seq` said: the sizes of one sample, or documents of unequal length."""

    seq_len: int | None = None
    encoder_len: int | None = None
    image: int | None = None
    mel: int | None = None
    documents: DocumentsText | None = None


# The parts of a sample as `--seq` names them, and the field of each.
_PARTS = {"enc": "encoder_len", "dec": "seq_len", "text": "seq_len", "image": "image", "mel": "mel"}

_OF_DOCUMENTS = ("lengths", "pad", "longest", "grouped", "pack")


def parse_seq(text: str) -> SeqText:
    """What `--seq` says: `8192`, `enc=512,dec=128`, `mel=3000,dec=128`, `image=224,text=77`, `lengths=FILE`, or
    quantiles of the lengths, `p50=450,p99=2100`; `,pad=4096` and its like may follow the last two.

    **Raises** InputError where the text is none of these or says a part twice.
    """
    plain = text.strip()
    if "=" not in plain:
        return SeqText(seq_len=_whole(plain, plain))
    if _are_documents(plain):
        from peakwise.core.length_text import parse_documents

        return SeqText(documents=parse_documents(plain))
    sizes: dict[str, int] = {}
    for part in plain.split(","):
        name, _, size = part.strip().partition("=")
        if name not in _PARTS or _PARTS[name] in sizes:
            raise _unreadable(plain)
        sizes[_PARTS[name]] = _whole(size, plain)
    return SeqText(
        seq_len=sizes.get("seq_len"),
        encoder_len=sizes.get("encoder_len"),
        image=sizes.get("image"),
        mel=sizes.get("mel"),
    )


def _are_documents(plain: str) -> bool:
    """Does the text speak of documents: a file of their lengths, quantiles, or how they fill slots?"""
    names = [part.partition("=")[0].strip() for part in plain.split(",")]
    return any(name in _OF_DOCUMENTS or (name[:1] == "p" and name[1:2].isdigit()) for name in names)


def _whole(text: str, plain: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 12):  # 12 digits: past LONGEST in any case
        raise _unreadable(plain)
    _length("--seq", int(text))
    return int(text)


def _unreadable(plain: str) -> InputError:
    return InputError(
        f'cannot read the length "{_short(plain)}"',
        where="--seq",
        got=_short(plain) or "nothing",
        expected="a number of tokens; enc=512,dec=128; mel=3000,dec=128; image=224,text=77; lengths=FILE; "
        "or p50=450,p99=2100",
        hint="--seq 8192",
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
