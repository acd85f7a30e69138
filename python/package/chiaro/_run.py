"""Programs on simulators and on the interpreter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _chiaro
from ._ask import File, Option, Question, Settings, taken
from ._errors import Diagnostic
from ._tools import plain

_INPUTS = "inputs.json"
_RESULT = "result"


@dataclass(frozen=True)
class Output:
    """An output of all invocations."""

    name: str
    """What the host calls it; the register where it has no name."""
    place: str
    """The register and its components: ``o0.xyz``."""
    values: NDArray[Any]
    """In shape (invocations, components): float16/32/64, int, uint or bool as the program has it. A view of ``bits``."""
    bits: NDArray[np.uint64]
    """The same in shape (invocations, components), each component in the low bits."""


@dataclass(frozen=True)
class Fault:
    """An invocation that stopped early."""

    invocation: int
    word: int
    """The instruction, by its number in listings."""
    cause: str


@dataclass(frozen=True)
class Run:
    """What a run left."""

    outputs: dict[str, Output]
    """By name."""
    buffers: dict[str, NDArray[np.uint8]]
    """Buffers that the program may write, as bytes: ``.view(np.float32)`` shows them as numbers."""
    faults: tuple[Fault, ...]
    """Invocations that stopped early."""
    printed: tuple[tuple[int, str], ...]
    """What invocations printed: the invocation, and its text."""
    discarded: NDArray[np.bool_]
    """Fragments that were discarded; empty if none could be."""
    cycles: NDArray[np.uint64]
    """Cycles of each invocation, where the machine's clock is known well enough; else empty."""
    instructions: Optional[int]
    """Instructions executed by all invocations, if they were counted."""
    mode: str
    """The number mode."""
    remarks: tuple[Diagnostic, ...]
    """Warnings: inputs that nobody gave, for instance."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The values of an output."""
        return self.outputs[name].values


def _floats(array: ArrayLike) -> NDArray[np.float32]:
    """Rows of float32; an array that is that already stays where it is."""
    rows = np.ascontiguousarray(array, dtype=np.float32)
    return rows.reshape(-1, 1) if rows.ndim < 2 else rows


def _question(
    command: str,
    program: File,
    target: Optional[str],
    given: Mapping[str, object],
    assumptions: Settings,
    options: Mapping[str, Option],
) -> Question:
    question = Question(command)
    question.option("target", target)
    question.pairs("-m", assumptions)
    inputs = {name: value for name, value in given.items() if value is not None}
    if inputs:
        question.hold(_INPUTS, json.dumps(_plain(inputs)))
        question.option("inputs", _INPUTS)
    question.options(options)
    question.about([program])
    return question


def _plain(value: object) -> object:
    """With infinities and NaNs as the inputs spell them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return plain(value)


def simulate(
    program: File,
    attributes: Optional[Mapping[str, ArrayLike]] = None,
    *,
    target: Optional[str] = None,
    fragments: Optional[Mapping[str, ArrayLike]] = None,
    groups: Optional[tuple[int, ...]] = None,
    uniforms: Optional[Mapping[str, object]] = None,
    buffers: Optional[Mapping[str, Union[bytes, NDArray[Any]]]] = None,
    images: Optional[Mapping[str, object]] = None,
    assumptions: Settings = None,
    **options: Option,
) -> Run:
    """Runs a container, or a source for ``target``, on the target's simulator.

    ``attributes`` are the inputs of vertices by name or register: float32 in shape (vertices, 1 to 4), or
    (vertices,) for scalars; such an array is read where it lies, others are converted. ``fragments`` are the same of
    fragments, of which four in a row are a quad; ``groups`` is the number of workgroups in up to three dimensions.
    ``uniforms`` are numbers, rows and matrices; ``buffers`` are bytes or arrays. ``mode`` and ``max_steps`` are among the
    ``options`` of ``chiaro run``. Nothing may write the arrays meanwhile: other threads of Python run on.

    >>> run = chiaro.simulate(made.container, {"position": positions}, uniforms={"mvp": np.eye(4)})
    >>> run["gl_Position"].shape
    (1000000, 4)
    """
    kinds = [kind for kind in (attributes, fragments, groups) if kind is not None]
    if len(kinds) > 1:
        raise ValueError("give one of attributes, fragments and groups")
    given = {"uniforms": uniforms, "images": images}
    question = _question("run", program, target, given, assumptions, options)
    columns = [(name, _floats(array)) for name, array in (attributes or fragments or {}).items()]
    held = [(name, _bytes(buffer)) for name, buffer in (buffers or {}).items()]
    work = _work(attributes, fragments, groups, columns)
    made, remarks = taken(_chiaro.simulate(question.all(), work, columns, held))
    return _run_of(made, remarks)


def _bytes(buffer: Union[bytes, NDArray[Any]]) -> bytes:
    return buffer.tobytes() if isinstance(buffer, np.ndarray) else bytes(buffer)


def _work(
    attributes: Optional[Mapping[str, ArrayLike]],
    fragments: Optional[Mapping[str, ArrayLike]],
    groups: Optional[tuple[int, ...]],
    columns: list[tuple[str, NDArray[np.float32]]],
) -> tuple[str, tuple[int, int, int]]:
    if groups is not None:
        x, y, z = (*groups, 1, 1, 1)[:3]
        return "groups", (x, y, z)
    count = len(columns[0][1]) if columns else 1
    if fragments is not None:
        return "fragments", (count, 1, 1)
    return ("vertices" if attributes is not None else "default"), (count, 1, 1)


def _run_of(made: _chiaro.Ran, remarks: tuple[Diagnostic, ...]) -> Run:
    outputs = {name: _output(name, place, kind, bits, width, data) for name, place, kind, bits, width, data in made["outputs"]}
    return Run(
        outputs=outputs,
        buffers=dict(made["buffers"]),
        faults=tuple(Fault(*fault) for fault in made["faults"]),
        printed=tuple(made["printed"]),
        discarded=made["discarded"],
        cycles=made["cycles"],
        instructions=made["instructions"],
        mode=made["mode"],
        remarks=remarks,
    )


def _output(name: str, place: str, kind: str, bits: int, width: int, data: NDArray[np.uint64]) -> Output:
    """A view of the numbers' low bits: nothing is copied."""
    rows = data.reshape(-1, max(width, 1))
    values: NDArray[Any]
    if kind == "bool":
        values = rows != 0
    else:
        kind_of = np.dtype(f"<{kind[0]}{max(bits, 8) // 8}")
        values = rows.view(kind_of)[:, :: 8 // kind_of.itemsize]
    return Output(name, place, values, rows)


def trace(
    program: File,
    attributes: Optional[Mapping[str, ArrayLike]] = None,
    *,
    target: str,
    uniforms: Optional[Mapping[str, object]] = None,
    assumptions: Settings = None,
    **options: Option,
) -> list[list[dict[str, Any]]]:
    """The steps of every invocation on the simulator: instruction, values read and written, effects, what follows."""
    rows = {name: _floats(array) for name, array in (attributes or {}).items()}
    given = {"uniforms": uniforms, "attributes": rows or None}
    all_options: dict[str, Option] = {"trace": "json", "output": _RESULT, **options}
    question = _question("run", program, target, given, assumptions, all_options)
    results, _ = taken(_chiaro.call(*question.all()))
    steps: list[list[dict[str, Any]]] = json.loads(dict(results)[_RESULT])["traces"]
    return steps


def interpret(
    source: File,
    *,
    uniforms: Optional[Mapping[str, object]] = None,
    buffers: Optional[Mapping[str, object]] = None,
    push: Optional[Mapping[str, object]] = None,
    groups: Optional[tuple[int, ...]] = None,
    vertices: Optional[list[Mapping[str, object]]] = None,
    **options: Option,
) -> dict[str, Any]:
    """Runs GLSL, WGSL or SPIR-V on the interpreter, the meaning that every target is compared with.

    Values are nested lists, mappings for structures, or arrays. The answer has ``outputs`` (an object for each vertex) and
    ``buffers``, each value as ``value`` and ``bits``.
    """
    given = {
        "uniforms": uniforms,
        "buffers": buffers,
        "push": push,
        "groups": None if groups is None else list(groups),
        "vertices": vertices,
    }
    question = _question("run", source, None, given, None, {"output": _RESULT, **options})
    results, _ = taken(_chiaro.call(*question.all()))
    result: dict[str, Any] = json.loads(dict(results)[_RESULT])
    return result
