"""The native part: calls without convenience. Answers are (status, value, messages as JSON Lines, messages for people)."""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

Files = list[tuple[str, bytes]]

class Compiled(TypedDict):
    target: str
    container: bytes
    code: bytes
    listing: str
    header: str | None
    ir: str
    report: str

class Ran(TypedDict):
    outputs: list[tuple[str, str, str, int, int, NDArray[np.uint64]]]
    buffers: list[tuple[str, NDArray[np.uint8]]]
    faults: list[tuple[int, int, str]]
    printed: list[tuple[int, str]]
    mode: str
    invocations: int
    instructions: int | None
    cycles: NDArray[np.uint64]
    discarded: NDArray[np.bool_]

def call(
    args: list[str], files: Files
) -> tuple[int, list[tuple[str | None, bytes]] | None, str, str]: ...
def compile(args: list[str], files: Files) -> tuple[int, Compiled | None, str, str]: ...
def abi(args: list[str], files: Files) -> tuple[int, str | None, str, str]: ...
def targets() -> str: ...
def main(args: list[str]) -> int: ...
def simulate(
    call: tuple[list[str], Files],
    kind: tuple[str, tuple[int, int, int]],
    columns: list[tuple[str, NDArray[np.float32]]],
    buffers: list[tuple[str, bytes]],
) -> tuple[int, Ran | None, str, str]: ...
def pixels(png: bytes) -> tuple[tuple[int, int], NDArray[np.uint8]]: ...
