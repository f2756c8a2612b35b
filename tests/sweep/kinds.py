"""Every model_type of the installed framework by its kind, and what its config is made of.

`python -m tests.sweep.kinds` writes them to docs/pages/model_kinds.toml, from which the docs page is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import transformers
from huggingface_hub.errors import StrictDataclassClassValidationError
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

PAGE_DATA = Path(__file__).parents[2] / "docs" / "pages" / "model_kinds.toml"
HEAD = """\
# Every model_type of the pinned library (transformers {version}) by its kind, the first of tests/sweep/kinds.py whose
# auto-class mappings have it; "part": only composites hold it. A value lists the types of its own parts.
# tests/sweep/test_outcomes.py keeps it true; `python -m tests.sweep.kinds` writes it.
"""
# Kinds in the order they are asked, each with the auto-class mappings (MODEL_FOR_..._MAPPING_NAMES) that say it.
MAPPINGS: dict[str, tuple[str, ...]] = {
    "composite": (
        "IMAGE_TEXT_TO_TEXT",
        "MULTIMODAL_LM",
        "VISUAL_QUESTION_ANSWERING",
        "DOCUMENT_QUESTION_ANSWERING",
        "ZERO_SHOT_IMAGE_CLASSIFICATION",
        "ZERO_SHOT_OBJECT_DETECTION",
    ),
    "audio": (
        "AUDIO_CLASSIFICATION",
        "AUDIO_FRAME_CLASSIFICATION",
        "AUDIO_XVECTOR",
        "CTC",
        "RNNT",
        "SPEECH_SEQ_2_SEQ",
        "TDT",
        "TEXT_TO_SPECTROGRAM",
        "TEXT_TO_WAVEFORM",
    ),
    "encoder-decoder": ("SEQ_TO_SEQ_CAUSAL_LM",),
    "encoder": ("MASKED_LM",),
    "causal": ("CAUSAL_LM",),
    "vision": (
        "IMAGE",
        "BACKBONE",
        "IMAGE_CLASSIFICATION",
        "OBJECT_DETECTION",
        "VIDEO_CLASSIFICATION",
        "MASK_GENERATION",
        "KEYPOINT_DETECTION",
        "KEYPOINT_MATCHING",
        "DEPTH_ESTIMATION",
        "UNIVERSAL_SEGMENTATION",
        "INSTANCE_SEGMENTATION",
        "SEMANTIC_SEGMENTATION",
        "IMAGE_TO_IMAGE",
        "TABLE_RECOGNITION",
        "TEXT_RECOGNITION",
        "NORMAL_ESTIMATION",
        "POINTMAP_ESTIMATION",
        "POSE_ESTIMATION",
        "IMAGE_MATTING",
    ),
}
KINDS = ("causal", "state space", "encoder", "encoder-decoder", "vision", "audio", "composite", "part", "other")


@cache
def _types_of(mapping: str) -> frozenset[str]:
    return frozenset(getattr(modeling_auto, f"MODEL_FOR_{mapping}_MAPPING_NAMES"))


@cache
def _held() -> frozenset[str]:
    """Types that the config of another type holds."""
    subs = [getattr(CONFIG_MAPPING[name], "sub_configs", {}).values() for name in CONFIG_MAPPING_NAMES]
    return frozenset(getattr(held, "model_type", "") for classes in subs for held in classes)


def kind_of(model_type: str) -> str:
    """The kind of a type, one of KINDS."""
    for kind, mappings in MAPPINGS.items():
        if any(model_type in _types_of(mapping) for mapping in mappings):
            return "state space" if kind == "causal" and _keeps_state(model_type) else kind
    return "part" if model_type in _held() or model_type not in modeling_auto.MODEL_MAPPING_NAMES else "other"


def _keeps_state(model_type: str) -> bool:
    """Does the class carry a recurrent state from token to token?"""
    name = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[model_type]
    return bool(getattr(transformers, name if isinstance(name, str) else name[0])._is_stateful)


def list_types() -> tuple[str, ...]:
    """Every model_type that has a config class."""
    return tuple(sorted(CONFIG_MAPPING_NAMES))


@cache
def default_config(model_type: str) -> dict[str, Any]:
    """What the config class of a type says by itself, its type alone where it builds nothing without arguments."""
    try:
        document = json.loads(CONFIG_MAPPING[model_type]().to_json_string(use_diff=False))
    except (ValueError, StrictDataclassClassValidationError):  # a class that has to be given its parts
        document = {}
    return document | {"model_type": model_type}


def parts_of(document: dict[str, Any]) -> list[str]:
    """The types of the configs that a config holds."""
    tables = [value for name, value in document.items() if name.endswith("_config") and isinstance(value, dict)]
    return list(dict.fromkeys(table["model_type"] for table in tables if table.get("model_type")))


def write_table(names: Iterable[str]) -> str:
    """The page's data: one section a kind."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name in names:
        found[kind_of(name)].append(f'"{name}" = {json.dumps(parts_of(default_config(name)))}')
    lines = [HEAD.format(version=transformers.__version__)]
    for kind, rows in found.items():
        lines += [f'["{kind}"]', *rows, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE_DATA.write_text(write_table(list_types()))
