"""Numbers of flags that no calculator declares: whole numbers, amounts, and counts of parameters."""

from __future__ import annotations

from peakwise.core.errors import NumberError

# A calculator's field ends at 100,000 ×10⁹ parameters: more digits than these are the count itself.
MOST_DIGITS_OF_GIGA = 6


def parse_whole(text: str, where: str) -> int:
    """A whole number above 0 from `8`, `1,024` or `2k`. **Raises** NumberError."""
    if text.isascii() and text.isdigit() and len(text) <= 18 and int(text):  # 18 digits: under 2**63
        return int(text)
    from peakwise.core.number import parse_quantity

    value = parse_quantity(text, "plain", where=where)
    if value < 1 or value != int(value):
        raise NumberError(
            "not a whole number above 0",
            where=where,
            got=text,
            expected="a whole number of at least 1",
            hint=f"{where} 8",
        )
    return int(value)


def parse_amount(text: str, where: str) -> float:
    """A number from `0`, `420.5` or `1.5k`. **Raises** NumberError."""
    if text.strip() == "0":
        return 0
    from peakwise.core.number import parse_quantity

    return parse_quantity(text, "plain", where=where)


def parse_parameters(text: str, where: str) -> float:
    """A number of parameters from `8.03B`, from `8.03` (×10⁹), or from all its digits. **Raises** NumberError."""
    digits = text.replace(",", "").replace("_", "")
    if digits.isascii() and digits.isdigit() and len(digits) > MOST_DIGITS_OF_GIGA:
        return float(digits)
    from peakwise.core.number import parse_quantity

    return parse_quantity(text, "parameter", where=where)
