"""The notebook runs from its first cell to its last, and draws."""

from pathlib import Path

import pytest


def test_the_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    path = Path(__file__).parents[1] / "notebooks" / "corpus.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 2
    assert not any(cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells), "commit it without outputs"
