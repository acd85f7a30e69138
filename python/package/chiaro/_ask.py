"""Files and options of the caller, as the native part takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, TypeVar, Union

from ._errors import ChiaroError, InputError, Diagnostic, diagnostics_of, error_of

Value = TypeVar("Value")


@dataclass(frozen=True)
class Source:
    """A file in memory. The ending of ``name`` tells language and stage, as that of a file does: ``water.vert``."""

    name: str
    data: Union[str, bytes]


File = Union[str, "os.PathLike[str]", Source, bytes]
"""A path, a :class:`Source`, or the bytes of a container."""

Option = Union[str, int, float, bool, Sequence[str], None]
"""An option of the command line: ``no_nop=True`` is ``--no-nop``, ``effort=3`` is ``--effort 3``."""

Settings = Optional[Mapping[str, Union[str, int, bool]]]
"""Choices of a target by name; :func:`chiaro.targets` lists them."""


class Question:
    """The arguments and files of one call."""

    def __init__(self, command: str) -> None:
        self.args = [command]
        self.files: list[tuple[str, bytes]] = []
        self._named: list[str] = []

    def option(self, name: str, value: Option) -> None:
        """Adds an option; ``None`` and ``False`` leave it out."""
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            return
        if value is True:
            self.args.append(flag)
        elif isinstance(value, (str, int, float)):
            self.args.append(f"{flag}={value}")
        else:
            self.args.extend(f"{flag}={one}" for one in value)

    def options(self, all: Mapping[str, Option]) -> None:
        """Adds many."""
        for name, value in all.items():
            self.option(name, value)

    def pairs(self, flag: str, pairs: Optional[Mapping[str, object]]) -> None:
        """Adds ``-m KEY=VALUE`` and its like."""
        for key, value in (pairs or {}).items():
            self.args.extend([flag, f"{key}={_spelled(value)}"])

    def includes(self, folders: Iterable[Union[str, "os.PathLike[str]"]]) -> None:
        """Adds folders where includes are looked for."""
        for folder in folders:
            self.args.extend(["-I", os.fspath(folder)])

    def hold(self, name: str, data: Union[str, bytes]) -> str:
        """Takes a file that an option names."""
        self.files.append((name, data.encode() if isinstance(data, str) else bytes(data)))
        return name

    def about(self, files: Iterable[File], role: str = "") -> None:
        """Takes files that are asked about."""
        for file in files:
            if isinstance(file, Source):
                name = self.hold(file.name, file.data)
            elif isinstance(file, (bytes, bytearray, memoryview)):
                name = self.hold(f"container-{len(self.files)}", bytes(file))
            else:
                name = os.fspath(file)
                self.hold(name, _read(name))
            self._named.append(role + name)

    def all(self) -> tuple[list[str], list[tuple[str, bytes]]]:
        """As the native part takes it."""
        return [*self.args, "--", *self._named], self.files


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        message = f"cannot read `{name}`: {error.strerror}"
        raise InputError(message, (Diagnostic("error", message),)) from error


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def taken(
    answer: tuple[int, Optional[Value], str, str], lenient: bool = False
) -> tuple[Value, tuple[Diagnostic, ...]]:
    """The value of an answer and what is to be said besides; an exception if there is none.

    ``lenient`` takes results that come with errors: of checks, and of tables whose rows failed.
    """
    status, value, messages, text = answer
    if value is None or (status != 0 and not (lenient and status == 1)):
        raise error_of(status, messages, text)
    return value, diagnostics_of(messages)


__all__ = ["ChiaroError", "File", "Option", "Question", "Settings", "Source", "taken"]
