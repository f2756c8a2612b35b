"""The model that was told: by its name, by its sizes, or by a name with some sizes of its own."""

from __future__ import annotations

from dataclasses import replace

from peakwise.calculators.check import Checked, Problem, refuse
from peakwise.calculators.read import called, example, expected
from peakwise.calculators.shape import Sizes, build_model
from peakwise.calculators.shape_faults import LATENT, PLAIN, find_faults, find_lacking
from peakwise.calculators.shape_fields import SIZES, says_shapes
from peakwise.calculators.shape_of import find_sizes
from peakwise.core.declaration import Declaration
from peakwise.core.model import Layer, Matmul, Model


def read_model(checked: Checked, named: Model | None, declaration: Declaration) -> Model | None:
    """The model of the inputs, its MTP modules as they are to be counted; None where only parameters were given.

    A size that was typed beside a name replaces the model's own. **Raises** InputError with every size that lacks or
    contradicts another, and where a named model's shapes cannot be said in these fields.
    """
    stated = frozenset(field.key for field in SIZES if checked.stated(field.key))
    if named is None and not says_shapes(checked):
        return None
    if named is not None and not stated:
        return _with_modules(checked, named, declaration)
    sizes = _own_sizes(checked, named, stated, declaration)
    problems = [_conflict(checked, declaration)] if stated & set(PLAIN) and stated & _latent_only() else []
    problems = [*_faults(checked, sizes, declaration), *_lacks(checked, sizes, stated, declaration), *problems]
    if problems:
        raise refuse(problems, declaration, checked.face)
    modules = _n_modules(checked, named, declaration)
    name = "these shapes" if named is None else f"{named.name} with these shapes"
    return build_model(sizes._replace(n_mtp_modules=modules), name=name)


def _latent_only() -> frozenset[str]:
    return frozenset(LATENT) - {"n_heads"} | {"q_lora_rank"}


def _own_sizes(checked: Checked, named: Model | None, stated: frozenset[str], declaration: Declaration) -> Sizes:
    """The sizes that were typed, over those of the named model."""
    base = Sizes()
    if named is not None:
        found = find_sizes(named)
        if found is None:
            raise refuse([_not_sayable(checked, named, stated, declaration)], declaration, checked.face)
        base = found
        if stated & set(PLAIN) and base.latent_attention:  # another kind of attention was typed
            base = base._replace(**dict.fromkeys((*LATENT, "q_lora_rank")))
        elif stated & _latent_only() and not base.latent_attention:
            base = base._replace(**dict.fromkeys(PLAIN))
    values = {key: _size(checked, key) for key in stated}
    return base._replace(**values)


def _size(checked: Checked, key: str) -> int | bool:
    value = checked.value(key)
    assert value is not None  # it was stated
    if isinstance(value, bool):
        return value
    assert isinstance(value, int | float | str)  # its declaration says so, and it was checked
    return int(value)


def _not_sayable(checked: Checked, named: Model, stated: frozenset[str], declaration: Declaration) -> Problem:
    key = next(field.key for field in SIZES if field.key in stated)
    name, model = (called(declaration.field(word), checked.face) for word in (key, "model"))
    return Problem(
        field=key,
        code="E_CONFLICT",
        message=f"the shapes of {named.name} cannot be said in these fields, so {name} cannot replace one of them",
        got=f"{name} and {model}",
        expected=f"{model} alone, or all shapes without it",
        hint=f"leave out {name}",
    )


def _conflict(checked: Checked, declaration: Declaration) -> Problem:
    """Both kinds of attention were typed."""
    plain = next(key for key in PLAIN if checked.stated(key))
    ranks = next(field.key for field in SIZES if field.key in _latent_only() and checked.stated(field.key))
    first, last = (called(declaration.field(key), checked.face) for key in (plain, ranks))
    return Problem(
        field=ranks,
        code="E_CONFLICT",
        message=f"{first} and {last} say the widths of attention in two ways",
        got=f"{first} and {last}",
        expected="head widths, or the ranks of latent attention",
        hint=f"leave out {first}",
    )


def _faults(checked: Checked, sizes: Sizes, declaration: Declaration) -> list[Problem]:
    problems: list[Problem] = []
    for fault in find_faults(sizes):
        field = declaration.field(fault.key)
        problems.append(
            Problem(
                field=fault.key,
                code="E_RANGE",
                message=f"{called(field, checked.face)}: {fault.message}",
                got=str(fault.got),
                expected=fault.expected,
                hint=f"{field.flag} N",
            )
        )
    return problems


def _lacks(checked: Checked, sizes: Sizes, stated: frozenset[str], declaration: Declaration) -> list[Problem]:
    problems: list[Problem] = []
    for key in find_lacking(sizes, stated):
        field = declaration.field(key)
        name = called(field, checked.face)
        if checked.stated(key):  # 0 experts, where layers hold them
            message, code, got = f"{name}: layers with experts need at least one", "E_RANGE", "0"
        else:
            message, code, got = f"{name} is required: these shapes make no model without it", "E_REQ", "nothing"
        problems.append(
            Problem(
                field=key,
                code=code,
                message=message,
                got=got,
                expected=expected(field),
                hint=f"{field.flag} {example(field)}",
            )
        )
    return sorted(problems, key=lambda problem: problem.code != "E_RANGE")


def _n_modules(checked: Checked, named: Model | None, declaration: Declaration) -> int:
    """The MTP modules of a model whose sizes were typed: what was said, else the named model's own, else one."""
    has = len(named.mtp) if named is not None else 0
    if not checked.flag("mtp"):
        return has
    if not checked.stated("n_mtp_modules") and named is not None:
        if not has:
            raise refuse([_no_modules(checked, named, declaration)], declaration, checked.face)
        return has
    return int(checked.number("n_mtp_modules") or 1)


def _with_modules(checked: Checked, named: Model, declaration: Declaration) -> Model:
    """The named model; where its MTP modules count and their number was typed, with that many."""
    if not checked.flag("mtp"):
        return named
    if not checked.stated("n_mtp_modules"):
        if not named.mtp:
            raise refuse([_no_modules(checked, named, declaration)], declaration, checked.face)
        return named
    module = named.mtp[0] if named.mtp else _module_of(named)
    if module is None:
        raise refuse([_no_modules(checked, named, declaration)], declaration, checked.face)
    return replace(named, mtp=(module,) * int(checked.number("n_mtp_modules") or 1))


def _module_of(named: Model) -> Layer | None:
    """One more layer of the last kind, a projection of twice the width, and the head again."""
    head = next((op for op in named.outside if isinstance(op, Matmul) and op.component == "lm_head"), None)
    if head is None or not named.is_text_decoder:
        return None
    projection = Matmul(component="other", name="mtp.projection", d_in=2 * head.d_in, d_out=head.d_in)
    return Layer(ops=(projection, *named.layers[-1].ops, replace(head, owned=False)))


def _no_modules(checked: Checked, named: Model, declaration: Declaration) -> Problem:
    name, number = (called(declaration.field(key), checked.face) for key in ("mtp", "n_mtp_modules"))
    return Problem(
        field="mtp",
        code="E_CHOICE",
        message=f"{named.name} has no multi-token-prediction modules; {number} says how many to add",
        got="on",
        expected=f"off, or {name} with {number}",
        hint="--mtp off",
    )
