"""What is run: sequences and their lengths, the pass, the attention rule, what is recomputed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peakwise.core.errors import InputError, Json
from peakwise.core.training import FULL, Train

Mode = Literal["train", "forward"]
Attention = Literal["causal", "full"]
SsmRule = Literal["recurrent", "reference"]

# Above this a length is a typing error, not a document (10⁹ tokens).
LONGEST = 1_000_000_000
# More documents than a machine could list in one batch.
MOST_LENGTHS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute:
    """Which blocks' forward is run again in the backward pass.

    `none`; `selective`: the attention scores of every block; `full`: every block; `every`: one block in `every`.
    `early_stop`: the last matmul of what is redone is not (PyTorch's checkpoint). `flash_backward`: the backward
    kernel of flash attention runs Q·Kᵀ again, whatever the policy.
    """

    policy: Literal["none", "selective", "full", "every"] = "none"
    every: int = 1
    early_stop: bool = False
    flash_backward: bool = False

    def text(self) -> str:
        """The policy as the command line writes it."""
        return f"every:{self.every}" if self.policy == "every" else self.policy

    def words(self) -> str:
        """The policy and what it is declared with, for a person."""
        early = ["stopping early"] if self.early_stop else []
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
    pixels along a side; `mel`: audio frames. With `lengths` the documents do not see each other. `ssm_rule`: the
    definition of a scan core (`recurrent`: the FLOPs of the recurrence; `reference`: of the library's chunked matmuls).
    """

    seq_len: int | None = None
    encoder_len: int | None = None
    image: int | None = None
    mel: int | None = None
    batch: int = 1
    lengths: tuple[int, ...] = ()
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
        for length in self.lengths:
            _length("--seq lengths", length)

    @property
    def tokens(self) -> int:
        """Text tokens of the whole workload, an encoder's and a decoder's together; 0 where there is no text."""
        if self.lengths:
            return sum(self.lengths)
        return self.batch * ((self.seq_len or 0) + (self.encoder_len or 0))

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
            "mode": self.mode,
            "attention": self.attention,
            "mtp": "on" if self.mtp else "off",
            "train": self.train.text(),
            "recompute": self.recompute.text(),
            "early_stop": self.recompute.early_stop,
            "flash_backward": self.recompute.flash_backward,
            "ssm_rule": self.ssm_rule,
        }


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
    """What `--seq` said: the sizes of one sample, or the file that lists one document's length a line."""

    seq_len: int | None = None
    encoder_len: int | None = None
    image: int | None = None
    mel: int | None = None
    lengths_file: str = ""


# The parts of a sample as `--seq` names them, and the field of each.
_PARTS = {"enc": "encoder_len", "dec": "seq_len", "text": "seq_len", "image": "image", "mel": "mel"}


def parse_seq(text: str) -> SeqText:
    """What `--seq` says: `8192`, `enc=512,dec=128`, `mel=3000,dec=128`, `image=224,text=77` or `lengths=FILE`.

    **Raises** InputError where the text is none of these or says a part twice.
    """
    plain = text.strip()
    key, equals, rest = plain.partition("=")
    if key == "lengths" and equals and rest:
        return SeqText(lengths_file=rest)
    if not equals:
        return SeqText(seq_len=_whole(plain, plain))
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
        expected="a number of tokens; enc=512,dec=128; mel=3000,dec=128; image=224,text=77; or lengths=FILE",
        hint="--seq 8192",
    )


def parse_lengths(text: str, where: str) -> tuple[int, ...]:
    """Document lengths from text with one length a line; blank lines are skipped.

    **Raises** InputError naming the line that is not a positive whole number.
    """
    lengths: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit() and len(word) <= 12 and 1 <= int(word) <= LONGEST):
            raise InputError(
                "a document length is not a whole number",
                where=f"{where}:{number}",
                got=_short(word),
                expected=f"one whole number a line, 1 to {LONGEST}",
            )
        lengths.append(int(word))
        if len(lengths) > MOST_LENGTHS:
            raise InputError("too many document lengths", where=where, got=f"over {MOST_LENGTHS}", expected="fewer")
    if not lengths:
        raise InputError("the file of lengths is empty", where=where, got="no number", expected="one length a line")
    return tuple(lengths)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
