"""How examples of unequal length are arranged."""

from __future__ import annotations

from peakwise.calculators.fields.choices import same
from peakwise.core.declaration import Field

LENGTHS: tuple[Field, ...] = (
    Field(
        key="policy",
        flag="--policy",
        param="pol",
        kind="choice",
        note="padded to --seq, to the longest of a batch, the same sorted first, packed into --seq, or as they are",
        choices=same("max", "longest", "grouped", "pack", "varlen"),
    ),
    Field(
        key="slot_tokens_per_s",
        flag="--slot-rate",
        param="slot",
        kind="number",
        unit="token/s, padding included",
        dimension="token_per_s",
        integer_like=True,
        low=0,
        high=1e10,
    ),
    Field(
        key="masked_tokens",
        flag="--masked-tokens",
        param="msk",
        kind="number",
        note="mean prompt tokens outside the loss",
        unit="token per example",
        dimension="token",
        integer_like=True,
        low=0,
        high=1e7,
    ),
)
