"""The package and its stubs pass the strictest checks, and what users may not write does not."""

import subprocess
import sys
from pathlib import Path


def mypy(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", *args], capture_output=True, text=True, cwd=Path(__file__).parents[1])


def test_the_package_is_typed() -> None:
    made = mypy("-p", "chiaro")
    assert made.returncode == 0, made.stdout


def test_wrong_calls_are_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import chiaro\nchiaro.compile('a.vert')\nchiaro.info(3)\nx: int = chiaro.disassemble(b'')\n")
    made = mypy(str(wrong))
    assert made.stdout.count("error:") == 3, made.stdout
