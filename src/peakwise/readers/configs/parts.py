"""The text part of a config: the config itself, or the table inside it that describes the language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from peakwise.core.errors import ConfigError
from peakwise.core.fields import as_table

# Where composites keep their language model, and their other towers.
TEXT = ("text_config", "llm_config", "language_config")
TOWERS = ("vision_config", "visual", "vision_tower", "audio_config", "speech_config", "vq_config", "perceiver_config")

# What a composite may say at its top for its text part; the text part's own value counts if present.
SHARED = ("architectures", "tie_word_embeddings", "auto_map", "torch_dtype", "_name_or_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """The language model's fields, the path they stand at, and the fields around them."""

    config: Mapping[str, object]
    path: str
    rest: Mapping[str, object]


def find_text(config: Mapping[str, object]) -> TextPart:
    """The text part of a config that has no other part.

    **Raises** ConfigError where a vision or audio part would be left out.
    """
    towers = [name for name in TOWERS if config.get(name)]
    if towers:
        raise ConfigError(
            f"the config has more parts than text ({', '.join(towers)}), and those are not counted yet",
            where=f"$.{towers[0]}",
            got="a composite",
            expected="a text model's config",
            hint="save its text_config as a file of its own to count the text part alone",
        )
    inside = [name for name in TEXT if config.get(name) is not None]
    if not inside:
        return TextPart(config=config, path="$", rest={})
    text = as_table(config[inside[0]], f"$.{inside[0]}")
    around = {key: value for key, value in config.items() if key not in inside}
    for key in SHARED:
        if text.get(key) is None and around.get(key) is not None:
            text[key] = around[key]
    rest = {key: value for key, value in around.items() if key not in SHARED and text.get(key) != value}
    return TextPart(config=text, path=f"$.{inside[0]}", rest=rest)
