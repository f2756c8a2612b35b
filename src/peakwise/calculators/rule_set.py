"""The dated set of counting rules that a link pins, so that an old link keeps its old number."""

from __future__ import annotations

RULE_SET = "2026-11"
