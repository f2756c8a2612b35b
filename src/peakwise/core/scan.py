"""What mixes the tokens of a layer without attention: a recurrence over a state, or a short convolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peakwise.core.errors import ConfigError

ScanKind = Literal["mamba", "ssd", "delta", "kda", "lightning", "conv"]
SCAN_KINDS: tuple[ScanKind, ...] = ("mamba", "ssd", "delta", "kda", "lightning", "conv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A recurrence of `n_heads` states of d_key × d_value each, or a depth-wise causal convolution.

    `mamba`: selective scan (Mamba), one head a channel, d_key states of it. `ssd`: its scalar form (Mamba-2), d_key the
    state and d_value the head. `delta`: gated delta rule; `kda`: with a decay for each channel. `lightning`: linear
    attention with a fixed decay. `conv`: one kernel of `kernel` taps for each of `n_heads` channels; the only kind that
    owns weights.
    `block`: tokens that the library's algorithm takes at once, 0 where it goes token by token.
    """

    component: Literal["ssm", "conv"]
    name: str
    kind: ScanKind
    n_heads: int
    d_key: int = 1
    d_value: int = 1
    block: int = 0
    kernel: int = 1
    bias: int = 0
    owned: bool = True

    def __post_init__(self) -> None:
        least = {"n_heads": 1, "d_key": 1, "d_value": 1, "kernel": 1, "bias": 0}
        least["block"] = 1 if self.kind in ("ssd", "delta", "kda", "lightning") else 0
        for name, lowest in least.items():
            size = getattr(self, name)
            if size < lowest:
                raise ConfigError(
                    f"{name} of {self.name} is too small",
                    where=self.name,
                    got=str(size),
                    expected=f"a whole number of at least {lowest}",
                )

    @property
    def state(self) -> int:
        """Numbers in the state of all heads."""
        return self.n_heads * self.d_key * self.d_value

    @property
    def matrix_weights(self) -> int:
        """Weights that every token is multiplied with: a convolution's taps."""
        return self.n_heads * self.kernel if self.kind == "conv" else 0
