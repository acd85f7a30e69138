"""A corpus of shaders as a table, on Ray or on Dask.

A corpus is cut into parts, and a part into rows by the same function on both: that of ``chiaro batch --shard``. So
the table is that of one run, byte for byte after sorting, whatever number of workers there was. Which parts are
done, which go to another worker and which are asked for again, is the engine's business; a part that is done twice gives
the same rows, and counts once.

>>> from chiaro import distributed
>>> table = distributed.on_dask(["corpus"], parts=64).compute()
>>> table = distributed.on_ray(["corpus"], parts=64).to_pandas()

Workers read the files themselves: paths have to mean the same on all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _chiaro
from ._ask import Option, Question, Settings, taken

if TYPE_CHECKING:
    import pandas as pd

_RESULT = "rows.jsonl"

COLUMNS = {"shader": "object", "variant": "object", "target": "object", "made": "bool", "line": "object"}
"""The table: source, variant, target, whether it compiles, and the row of ``chiaro batch`` as a line of JSON."""


def parts(
    paths: Sequence[Union[str, "os.PathLike[str]"]] = (),
    *,
    parts: int = 64,
    target: Union[str, Sequence[str]] = "all",
    settings: Settings = None,
    defines: Optional[Mapping[str, object]] = None,
    include: Sequence[Union[str, "os.PathLike[str]"]] = (),
    **options: Option,
) -> pd.DataFrame:
    """What :func:`rows` takes: one row for each part, with the arguments of its call.

    ``paths`` are files, folders and patterns; ``options`` those of ``chiaro batch``: ``variant``, ``cache``, ``entry``.
    Without paths, the project file names the shaders: ``project="chiaro.toml"``.
    """
    import pandas as pd

    if parts < 1:
        raise ValueError(f"there cannot be {parts} parts")
    question = Question("batch")
    if paths or target != "all":
        question.option("target", target if isinstance(target, str) else ",".join(target))
    question.pairs("-m", settings)
    question.pairs("-D", defines)
    question.includes(include)
    question.options({"threads": 1, "output": _RESULT, **options})
    names = [os.fspath(path) for path in paths]
    calls = [json.dumps([*question.args, f"--shard={i}/{parts}", "--", *names]) for i in range(parts)]
    return pd.DataFrame({"call": pd.Series(calls, dtype="object")})


def rows(calls: pd.DataFrame) -> pd.DataFrame:
    """The rows of some parts: the function that both engines run."""
    import pandas as pd

    lines = [line for call in calls["call"] for line in _lines(json.loads(call))]
    found = [json.loads(line) for line in lines]
    table = {
        "shader": [row["file"] for row in found],
        "variant": [row["variant"] for row in found],
        "target": [row["target"] for row in found],
        "made": ["resources" in row for row in found],
        "line": lines,
    }
    return pd.DataFrame({name: pd.Series(table[name], dtype=kind) for name, kind in COLUMNS.items()})


def _lines(args: list[str]) -> list[str]:
    results, _ = taken(_chiaro.call(args, []), lenient=True)
    return dict(results)[_RESULT].decode().splitlines()


def on_ray(paths: Sequence[Union[str, "os.PathLike[str]"]] = (), **choices: Any) -> Any:
    """The table as a dataset of Ray, which makes it when it is asked for; ``choices`` are those of :func:`parts`.

    Ray gives the parts of a worker that died to another one.
    """
    import ray.data

    calls = parts(paths, **choices)
    dataset = ray.data.from_pandas(calls).repartition(len(calls))
    return dataset.map_batches(rows, batch_format="pandas", batch_size=None)


def on_dask(paths: Sequence[Union[str, "os.PathLike[str]"]] = (), **choices: Any) -> Any:
    """The table as a data frame of Dask, which makes it when it is asked for; ``choices`` are those of :func:`parts`.

    Dask gives the parts of a worker that died to another one, as often as ``distributed.scheduler.allowed-failures``.
    """
    import dask.dataframe
    import pandas as pd

    calls = parts(paths, **choices)
    frame = dask.dataframe.from_pandas(calls, npartitions=len(calls), sort=False)
    meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    return frame.map_partitions(rows, meta=meta)
