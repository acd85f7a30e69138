"""What chiaro has to say, as data, and as exceptions where there is no result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Edit:
    """A text in the place of another; both ends of the place as those of a :class:`Diagnostic`."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that together are likely to mend a source."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Diagnostic:
    """One message: what is wrong, where, and what to do.

    Lines and columns count from 1, columns in characters; they are ``None`` where the input has no text.
    ``end_line`` and ``end_column`` are behind the last character.
    """

    severity: str
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    end_line: Optional[int] = None
    end_column: Optional[int] = None
    label: str = ""
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    #: The rule of the hardware that is broken.
    rule: Optional[str] = None
    #: What does what ``help`` says, any one of them.
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        return f"{place}{self.severity}: {self.message}"


class ChiaroError(Exception):
    """There is no result. ``diagnostics`` say why; the text of the exception has them with their source lines.

    ``file``, ``line``, ``column``, ``message`` and ``help`` are those of the first error.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(text.strip() or "there is no result")
        self.diagnostics = diagnostics
        errors = [d for d in diagnostics if d.severity == "error"]
        first = errors[0] if errors else Diagnostic("error", str(self))
        self.message = first.message
        self.file = first.file
        self.line = first.line
        self.column = first.column
        self.help = first.help

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions come home from other processes.
        return (type(self), (str(self), self.diagnostics))


class InputError(ChiaroError):
    """The input is at fault: a source, a container, values that do not fit."""


class UsageError(ChiaroError):
    """The question is at fault: an unknown target, option or entry point."""


class BugError(ChiaroError):
    """chiaro is at fault. Please report it with the input."""


_KINDS: dict[int, type[ChiaroError]] = {1: InputError, 2: UsageError}


def diagnostics_of(messages: str) -> tuple[Diagnostic, ...]:
    """Messages as the native part gives them, an object a line."""

    def one(line: str) -> Diagnostic:
        given: dict[str, Any] = json.loads(line)
        given.pop("related", None)
        given["notes"] = tuple(given["notes"])
        given["help"] = tuple(given["help"])
        given["fixes"] = tuple(_fix(fix) for fix in given["fixes"])
        return Diagnostic(**given)

    return tuple(one(line) for line in messages.splitlines() if line)


def _fix(given: dict[str, Any]) -> Fix:
    # What is a word of Python's has another name here.
    edits = ({"text": edit.pop("with"), **edit} for edit in given["edits"])
    return Fix(given["title"], tuple(Edit(**edit) for edit in edits))


def error_of(status: int, messages: str, text: str) -> ChiaroError:
    """The exception for a status that is not 0."""
    return _KINDS.get(status, BugError)(text, diagnostics_of(messages))
