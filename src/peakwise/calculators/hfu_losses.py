"""What keeps a training below its peak, and how each loss is measured."""

from __future__ import annotations

from typing import NamedTuple


class Loss(NamedTuple):
    """One loss: its id, whether it lies inside the optimizer steps, and how it is measured in one line."""

    id: str
    in_step: bool
    measure: str


LOSSES: tuple[Loss, ...] = (
    Loss("collectives", in_step=True, measure="trace: exposed time of all-reduce, all-gather and reduce-scatter"),
    Loss("bubble", in_step=True, measure="schedule: (p − 1)/(v·m + p − 1); trace: idle time of the first stage"),
    Loss("input_pipeline", in_step=True, measure="step time with real data, less the step time with one cached batch"),
    Loss("recompute", in_step=True, measure="HFU − MFU; step time with recompute off at a batch that fits"),
    Loss("checkpoints", in_step=False, measure="seconds of one checkpoint, divided by the seconds between two"),
    Loss("tensor_parallel", in_step=True, measure="trace: all-reduces inside the layers, or step time at half the tp"),
    Loss(
        "expert_imbalance", in_step=True, measure="busiest expert's tokens by the mean; trace: waits before all-to-all"
    ),
    Loss("cpu_launch", in_step=True, measure="trace: gaps between kernels; step time with CUDA graphs or compile"),
    Loss(
        "clocks", in_step=True, measure="SM clock during steps by the clock of the datasheet; power and thermal limits"
    ),
    Loss("evaluation", in_step=False, measure="seconds of one evaluation, divided by the seconds between two"),
    Loss(
        "restart", in_step=False, measure="minutes from the last kept step to the first new one, times restarts a day"
    ),
)
