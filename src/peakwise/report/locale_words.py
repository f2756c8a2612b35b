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
        "good": "bueno",
        "average": "medio",
        "poor": "bajo",
        "yes": "sí",
        "no": "no",
    },
    "it": {
        "excellent": "eccellente",
        "good": "buono",
        "average": "medio",
        "poor": "basso",
        "yes": "sì",
        "no": "no",
    },
    "ru": {
        "excellent": "отлично",
        "good": "хорошо",
        "average": "средне",
        "poor": "низко",
        "yes": "да",
        "no": "нет",
    },
}
