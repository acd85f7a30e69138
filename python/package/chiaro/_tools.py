"""Everything but simulation: sources to machine code and back, and what there is to know of both."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _chiaro
from ._ask import File, Option, Question, Settings, Source, taken
from ._errors import Diagnostic

_RESULT = "result"


@dataclass(frozen=True)
class Compiled:
    """All that one compilation makes."""

    target: str
    """The target's name."""
    container: bytes
    """The file that the target's loader reads."""
    code: bytes
    """The code alone."""
    listing: str
    """The code with the source beside it, for people."""
    header: Optional[str]
    """Names with their registers as macros of C, where the target has such headers."""
    ir: str
    """The IR that the code computes."""
    report: dict[str, Any]
    """What it takes of the machine; docs/report.schema.json names the fields and docs the units (cycles, registers, words)."""
    remarks: tuple[Diagnostic, ...]
    """Warnings and notes."""


@dataclass(frozen=True)
class Assembled:
    """What an assembler makes."""

    container: bytes
    """The file that the target's loader reads."""
    remarks: tuple[Diagnostic, ...]
    """Warnings and notes."""


def _reading(
    question: Question,
    target: Optional[str],
    settings: Settings,
    defines: Optional[Mapping[str, object]],
    constants: Optional[Mapping[str, object]],
    include: Sequence[Union[str, "os.PathLike[str]"]],
) -> None:
    question.option("target", target)
    question.pairs("-m", settings)
    question.pairs("-D", defines)
    question.pairs("--spec", constants)
    question.includes(include)


def compile(
    *sources: File,
    target: str,
    settings: Settings = None,
    defines: Optional[Mapping[str, object]] = None,
    constants: Optional[Mapping[str, object]] = None,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    **options: Option,
) -> Compiled:
    """Compiles GLSL, WGSL or SPIR-V for a target: one file, or the stages of a program.

    ``defines`` are macros of GLSL, ``constants`` specialisation constants by number or name. Further ``options``
    are those of ``chiaro compile``: ``entry="main"``, ``stage="vertex"``, ``effort=3``, ``clip="gl"``,
    ``verify="strict"``.

    >>> made = chiaro.compile(Source("a.vert", text), target="pica200")
    >>> made.report["cycles"]["longest"]

    Raises :class:`InputError` with the place in the source, and :class:`UsageError` for what is not known.
    """
    question = Question("compile")
    _reading(question, target, settings, defines, constants, include)
    question.options(options)
    question.about(sources)
    made, remarks = taken(_chiaro.compile(*question.all()))
    return Compiled(
        target=made["target"],
        container=made["container"],
        code=made["code"],
        listing=made["listing"],
        header=made["header"],
        ir=made["ir"],
        report=json.loads(made["report"]),
        remarks=remarks,
    )


def report(
    file: File,
    *,
    target: str,
    settings: Settings = None,
    defines: Optional[Mapping[str, object]] = None,
    constants: Optional[Mapping[str, object]] = None,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    **options: Option,
) -> dict[str, Any]:
    """What a source takes of the machine once it is compiled, or a container as it is.

    Cycles are those of one invocation (``shortest`` and ``longest`` path), registers and resources come as
    ``used`` of ``allowed``; docs/report.schema.json describes all fields. Many files: :func:`report_many`.
    """
    question = Question("report")
    _reading(question, target, settings, defines, constants, include)
    question.options({"json": True, "output": _RESULT, **options})
    question.about([file])
    result: dict[str, Any] = json.loads(_only(question))["reports"][0]
    return result


def report_many(
    *paths: Union[str, "os.PathLike[str]"],
    target: Union[str, Sequence[str]] = "all",
    format: str = "json",
    settings: Settings = None,
    **options: Option,
) -> str:
    """A table of many shaders for several targets, as ``chiaro report`` prints it: ``json``, ``csv``, ``sarif``, ...

    ``paths`` are files, folders and patterns on disk. What does not compile is a row with its message.
    """
    question = Question("report")
    question.option("target", target if isinstance(target, str) else ",".join(target))
    question.pairs("-m", settings)
    question.options({"format": format, "output": _RESULT, **options})
    args = [*question.args, "--", *(os.fspath(path) for path in paths)]
    results, _ = taken(_chiaro.call(args, []), lenient=True)
    return dict(results)[_RESULT].decode()


def diff(
    before: File,
    after: Optional[File] = None,
    *,
    target: Union[str, Sequence[str]],
    settings: Settings = None,
    defines: Optional[Mapping[str, object]] = None,
    constants: Optional[Mapping[str, object]] = None,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    **options: Option,
) -> dict[str, Any]:
    """What differs between two programs, and why: docs/diff.schema.json describes all fields.

    Counts are instructions, ``cycles`` those of the longest way; ``causes`` and ``lines`` say where they come from,
    ``parting`` behind which pass the two part. Without ``after`` it is one file in two ways, by ``options`` of
    ``chiaro diff``: ``after_define=["FOG=1"]``, ``before_effort=0``. Two targets are those of the first and the second.
    Folders are compared by ``chiaro.command("diff", ...)``.

    >>> chiaro.diff("old.frag", "new.frag", target="a3xx")["cycles"]
    """
    question = Question("diff")
    _reading(question, target if isinstance(target, str) else ",".join(target), settings, defines, constants, include)
    question.options({"format": "json", "output": _RESULT, **options})
    question.about([before] if after is None else [before, after])
    result: dict[str, Any] = json.loads(_only(question))
    return result


def timeline(
    *files: File,
    target: str,
    rounds: int = 2,
    settings: Settings = None,
    defines: Optional[Mapping[str, object]] = None,
    constants: Optional[Mapping[str, object]] = None,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    **options: Option,
) -> dict[str, Any]:
    """When each instruction of a wave issues and what it waits for: docs/timeline.schema.json describes all fields.

    All times are cycles. ``files`` are the sources of one program, or a container; ``rounds`` is how often each loop
    is gone through. ``figures`` are the latencies that it rests on, each with its source and grade.
    """
    question = Question("timeline")
    _reading(question, target, settings, defines, constants, include)
    question.options({"rounds": rounds, "format": "json", "output": _RESULT, **options})
    question.about(files)
    result: dict[str, Any] = json.loads(_only(question))
    return result


def _run(question: Question) -> tuple[list[tuple[Optional[str], bytes]], tuple[Diagnostic, ...]]:
    return taken(_chiaro.call(*question.all()))


def _only(question: Question) -> str:
    results, _ = _run(question)
    return results[0][1].decode()


def disassemble(
    container: File, *, target: Optional[str] = None, raw: bool = False, settings: Settings = None
) -> str:
    """Lists a container, or with ``raw`` code alone; the listing assembles to the same bytes."""
    question = Question("dis")
    question.option("target", target)
    question.option("raw", raw)
    question.pairs("-m", settings)
    question.about([container])
    return _only(question)


def assemble(
    *sources: File, target: Optional[str] = None, settings: Settings = None, **options: Option
) -> Assembled:
    """Assembles sources to one container. ``options`` are those of ``chiaro asm``: ``syntax``, ``compat``, ``entry``."""
    question = Question("asm")
    question.option("target", target)
    question.pairs("-m", settings)
    question.options({"output": _RESULT, **options})
    question.about(sources)
    results, remarks = _run(question)
    return Assembled(dict(results)[_RESULT], remarks)


def check(
    file: File, *, target: Optional[str] = None, settings: Settings = None, **options: Option
) -> tuple[Diagnostic, ...]:
    """What is wrong with a source or a container: hazards, limits, inconsistencies. Nothing is raised for it."""
    question = Question("check")
    question.option("target", target)
    question.pairs("-m", settings)
    question.options(options)
    question.about([file])
    answer = _chiaro.call(*question.all())
    status, value, messages, text = answer
    if value is None and status == 1:
        value = []
    return taken((status, value, messages, text), lenient=True)[1]


def explain(target: str, words: Union[bytes, Sequence[int]], *, settings: Settings = None) -> str:
    """Takes an instruction apart field by field. ``words`` are its bytes, or 32-bit words, the lowest first."""
    if isinstance(words, (bytes, bytearray)):
        padded = bytes(words) + b"\0" * (-len(words) % 4)
        words = np.frombuffer(padded, dtype="<u4").tolist()
    question = Question("explain")
    question.pairs("-m", settings)
    args = [*question.args, "--", target, *(f"{word & 0xFFFFFFFF:08x}" for word in words)]
    results, _ = taken(_chiaro.call(args, []))
    return results[0][1].decode()


def info(container: File, *, target: Optional[str] = None) -> dict[str, Any]:
    """What a container holds, with what a loader derives from it."""
    question = Question("info")
    question.option("target", target)
    question.option("json", True)
    question.about([container])
    result: dict[str, Any] = json.loads(_only(question))
    return result


def abi(file: File, *, target: Optional[str] = None, settings: Settings = None, **options: Option) -> dict[str, Any]:
    """Where a host program finds inputs, uniforms and outputs: of a source after compilation, of a container as it says."""
    question = Question("compile")
    question.option("target", target)
    question.pairs("-m", settings)
    question.options({"emit": "json", **options})
    question.about([file])
    result: dict[str, Any] = json.loads(taken(_chiaro.abi(*question.all()))[0])
    return result


def link(
    *parts: File, target: Optional[str] = None, settings: Settings = None, **roles: File
) -> bytes:
    """Links parts that were made separately: containers that say which part they are, or code alone by its role.

    >>> program = chiaro.link(prolog=fetch, main=main, target="agx")
    """
    question = Question("link")
    question.option("target", target)
    question.option("output", _RESULT)
    question.pairs("-m", settings)
    question.about(parts)
    for role, part in roles.items():
        question.about([part], role=f"{role}=")
    results, _ = _run(question)
    return dict(results)[_RESULT]


def draw(
    scene: Mapping[str, object],
    files: Iterable[Source] = (),
    *,
    target: Optional[str] = None,
    settings: Settings = None,
    **options: Option,
) -> NDArray[np.uint8]:
    """Draws a mesh with a vertex and a fragment shader, on a target's simulator or, without one, the interpreter.

    ``scene`` is that of ``chiaro help draw``; the files that it names are in ``files`` or on disk. Arrays may be
    NumPy's. The picture is uint8 in shape (height, width, 4): red, green, blue, alpha, the upper row first.
    """
    question = Question("draw")
    question.option("target", target)
    question.pairs("-m", settings)
    question.options({"output": _RESULT, **options})
    for file in files:
        question.hold(file.name, file.data)
    question.about([Source("scene.json", json.dumps(scene, default=plain))])
    results, _ = _run(question)
    (width, height), pixels = _chiaro.pixels(dict(results)[_RESULT])
    return pixels.reshape(height, width, 4)


def plain(value: object) -> object:
    """NumPy's values as JSON has them."""
    if isinstance(value, np.ndarray):
        return [plain(one) for one in value] if value.ndim else plain(value.item())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def targets() -> list[dict[str, Any]]:
    """All targets: names, stages, what can be asked of them, settings, modes, assumptions, limits."""
    result: list[dict[str, Any]] = json.loads(_chiaro.targets())
    return result


def command(*args: str, files: Iterable[Source] = ()) -> dict[Optional[str], bytes]:
    """Any command of the command line. What it writes comes back by the name of the file, ``None`` for standard output.

    >>> chiaro.command("targets")[None].decode()
    """
    held = Question(args[0] if args else "help")
    for file in files:
        held.hold(file.name, file.data)
    results, _ = taken(_chiaro.call(list(args), held.files))
    return dict(results)
