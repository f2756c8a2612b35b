"""What is given to a calculator is checked field by field, and every error comes back in one."""

from __future__ import annotations

import pytest

from peakwise.calculators.check import check_inputs
from peakwise.calculators.link import make_link
from peakwise.calculators.mfu_fields import DECLARATION
from peakwise.core.declaration import Declaration, Field
from peakwise.core.errors import InputError, UnknownChip
from peakwise.verbs.calc import calculate

GOOD: dict[str, object] = {"workload": "training", "params_b": 70, "tokens_per_s": 2000, "peak_tflops": 989}


def _codes(**changes: object) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        check_inputs(DECLARATION, GOOD | changes)
    return [(error.field, error.code) for error in caught.value.errors]


def test_all_field_errors_come_back_together_unknown_keys_and_values_before_what_is_required() -> None:
    with pytest.raises(InputError) as caught:
        check_inputs(
            DECLARATION,
            {"params_b": "abc", "tokens_per_s": -1, "tokens_per_s_per_device": 5, "accelerators": 2.5, "parms": 1},
        )
    assert [(error.field, error.code) for error in caught.value.errors] == [
        ("parms", "E_UNKNOWN"),
        ("params_b", "E_NUM"),
        ("tokens_per_s", "E_RANGE"),
        ("accelerators", "E_INT"),
        ("workload", "E_REQ"),
        ("peak_tflops", "E_REQ"),
        ("tokens_per_s_per_device", "E_CONFLICT"),
    ]
    assert (caught.value.field, caught.value.code) == ("parms", "E_UNKNOWN")


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"tokens_per_s": float("nan")}, "tokens_per_s", "E_NUM"),
        ({"tokens_per_s": float("inf")}, "tokens_per_s", "E_NUM"),
        ({"tokens_per_s": [1]}, "tokens_per_s", "E_NUM"),
        ({"tokens_per_s": 10**400}, "tokens_per_s", "E_RANGE"),
        ({"tokens_per_s": "1" * 65}, "tokens_per_s", "E_NUM"),
        ({"peak_tflops": "0"}, "peak_tflops", "E_ZERO_PEAK"),
        ({"peak_tflops": "989 GB/s"}, "peak_tflops", "E_UNIT"),
        ({"precision": 16}, "precision", "E_CHOICE"),
        ({"precision": True}, "precision", "E_CHOICE"),
        ({"attention": "causal"}, "n_layers", "E_REQ"),
        ({"workload": "custom"}, "flops_per_param", "E_REQ"),
        ({"chip": 5}, "chip", "E_CHOICE"),
        ({"params_b": "  "}, "params_b", "E_REQ"),
    ],
)
def test_a_bad_value_gives_its_code(changes: dict[str, object], field: str, code: str) -> None:
    assert _codes(**changes)[0] == (field, code)


def test_an_unknown_key_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(InputError, match="the nearest is tokens_per_s"):
        check_inputs(DECLARATION, GOOD | {"token_per_s": 5})


def test_an_unknown_chip_keeps_the_catalogues_words() -> None:
    error = UnknownChip('unknown chip "x1"', got="x1", expected="one of y1, y2", hint="peakwise catalog chips")
    with pytest.raises(InputError) as caught:
        check_inputs(DECLARATION, GOOD | {"chip": "x1"}, face="flag", refused={"chip": error})
    assert (caught.value.code, caught.value.where, caught.value.message) == ("E_CHOICE", "--chip", 'unknown chip "x1"')
    assert (caught.value.expected, caught.value.hint) == ("one of y1, y2", "peakwise catalog chips")


def test_a_null_member_of_a_group_is_as_absent() -> None:
    checked = check_inputs(
        DECLARATION,
        {"workload": "training", "flop_per_token": 1e9, "params_b": None, "step_s": "", "chip": "any"}
        | {"tokens_per_s": 5},
    )
    assert checked.value("params_b") is None


def test_defaults_are_assumed_and_given_values_stated() -> None:
    checked = check_inputs(DECLARATION, GOOD, face="flag")
    assert checked.inputs["accelerators"].basis == "assumed"
    assert checked.inputs["tokens_per_s"].basis == "stated"
    assert checked.inputs["tokens_per_s"].source == "--rate"


def test_a_text_is_no_number_where_no_locale_is_given() -> None:
    with pytest.raises(InputError) as caught:
        check_inputs(DECLARATION, GOOD | {"tokens_per_s": "2000"}, locale=None)
    assert caught.value.code == "E_NUM"


def test_a_text_is_read_by_the_locale() -> None:
    assert check_inputs(DECLARATION, GOOD | {"tokens_per_s": "2.000"}, locale="es").value("tokens_per_s") == 2000


def test_an_ambiguous_number_is_read_noted_and_offered_the_other_way() -> None:
    checked = check_inputs(DECLARATION, GOOD | {"tokens_per_s": "2.000"})
    assert checked.value("tokens_per_s") == 2
    assert [(note.code, note.input, note.fix) for note in checked.notes] == [("W_AMBIG", "tokens_per_s", "--rate 2000")]


def test_a_fraction_in_a_percentage_field_is_noted_unless_a_percent_sign_was_typed() -> None:
    assert [note.code for note in check_inputs(DECLARATION, GOOD | {"lost_pct": 0.5}).notes] == ["W_FRACTION"]
    assert check_inputs(DECLARATION, GOOD | {"lost_pct": "0.5 %"}).notes == ()


def test_a_percent_sign_in_a_fraction_field_divides_by_a_hundred() -> None:
    assert check_inputs(DECLARATION, GOOD | {"recompute_fraction": "50%"}).value("recompute_fraction") == 0.5


SWITCH = Declaration(
    id="switch",
    number="C0",
    summary="a declaration with a boolean field",
    fields=(Field(key="tied", flag="--tied", param="tied", kind="boolean", default=False),),
    results=(),
)


@pytest.mark.parametrize(
    ("said", "value"), [(True, True), ("on", True), ("1", True), (0, False), ("no", False), ("False", False)]
)
def test_a_boolean_is_read_as_json_a_link_and_the_command_line_write_it(said: object, *, value: bool) -> None:
    assert check_inputs(SWITCH, {"tied": said}).value("tied") is value


@pytest.mark.parametrize("said", ["maybe", 2, 0.5])
def test_what_is_neither_yes_nor_no_is_no_choice(said: object) -> None:
    with pytest.raises(InputError) as caught:
        check_inputs(SWITCH, {"tied": said})
    assert caught.value.code == "E_CHOICE"


def test_a_boolean_is_1_or_0_in_a_link_and_left_out_where_it_is_the_default() -> None:
    assert make_link(SWITCH, check_inputs(SWITCH, {"tied": True})) == "/en/switch?v=1&tied=1"
    assert make_link(SWITCH, check_inputs(SWITCH, {"tied": False})) == "/en/switch?v=1"


def test_a_whole_number_of_another_library_is_a_number() -> None:
    class Whole:
        def __index__(self) -> int:
            return 8

    class Refuses:
        def __index__(self) -> int:
            raise TypeError("no index after all")

    assert check_inputs(DECLARATION, GOOD | {"accelerators": Whole()}).value("accelerators") == 8
    assert _codes(accelerators=Refuses()) == [("accelerators", "E_NUM")]


def test_a_key_that_a_declaration_lacks_is_a_fault_of_our_own() -> None:
    with pytest.raises(KeyError):
        SWITCH.field("untied")


def test_a_link_keeps_the_sign_of_a_small_percentage_that_was_typed_with_it() -> None:
    given = {"accelerators": 8, "tokens_per_s_per_device": 2500, "tokens_per_example": 900}
    sure = calculate("finetune-throughput", {**given, "efficiency_pct": "0.82 %"})
    unsure = calculate("finetune-throughput", {**given, "efficiency_pct": "0.82"})
    assert "eta=0.82%25" in sure.link
    assert "eta=0.82&" in unsure.link
    assert [[finding.code for finding in answer.warnings] for answer in (sure, unsure)] == [
        ["W_ETA_LOW"],
        ["W_FRACTION"],
    ]
