"""Words that a result may be, in the languages of the display."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "excellent": "excellent",
        "good": "good",
        "average": "average",
        "poor": "poor",
        "yes": "yes",
        "no": "no",
    },
    "es": {
        "excellent": "excelente",
        "good": "buena",
        "average": "media",
        "poor": "baja",
        "yes": "sí",
        "no": "no",
    },
    "it": {
        "excellent": "ottima",
        "good": "buona",
        "average": "media",
        "poor": "scarsa",
        "yes": "sì",
        "no": "no",
    },
    "ru": {
        "excellent": "отлично",
        "good": "хорошо",
        "average": "средне",
        "poor": "слабо",
        "yes": "да",
        "no": "нет",
    },
}
