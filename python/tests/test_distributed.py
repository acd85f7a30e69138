"""A corpus on real clusters of this machine, with a worker that is killed in the run: the table is that of one process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chiaro import distributed

pd = pytest.importorskip("pandas")
CHIARO = Path(sys.executable).with_name("chiaro")
PARTS = 12
TARGETS = ["pica200", "a3xx"]


def of_one_run(corpus):
    """The lines of `chiaro batch`, sorted."""
    command = [CHIARO, "-q", "batch", str(corpus), "--target", ",".join(TARGETS)]
    made = subprocess.run(command, capture_output=True, check=True)
    return sorted(made.stdout.splitlines())


def lines(table):
    return sorted(line.encode() for line in table["line"])


def deadly(folder):
    """The rows of parts; who gets part 5 first is killed, as if its machine had gone."""
    rows = distributed.rows

    def those(calls):
        if any("--shard=5/" in call for call in calls["call"]):
            try:
                os.close(os.open(folder / "killed", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        table = rows(calls)
        (folder / f"worker-{os.getpid()}").touch()
        return table

    return those


def whole(table, corpus, folder):
    """Whether nothing is lost or doubled, and several workers had a part in it."""
    assert lines(table) == of_one_run(corpus)
    assert (folder / "killed").exists()
    assert len(list(folder.glob("worker-*"))) >= 2
    assert set(table.columns) == set(distributed.COLUMNS)
    assert (~table["made"]).sum() == len(TARGETS) and len(table) == 25 * len(TARGETS)


def test_ray(corpus, tmp_path, monkeypatch):
    # Nothing is told to anybody, and workers run like others: on a busy machine they wait for minutes otherwise.
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_worker_niceness", "0")
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(distributed, "rows", deadly(tmp_path))
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, logging_level="ERROR")
    try:
        table = distributed.on_ray([corpus], parts=PARTS, target=TARGETS).to_pandas()
    finally:
        ray.shutdown()
    whole(table, corpus, tmp_path)


def test_dask(corpus, tmp_path, monkeypatch):
    dask = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "rows", deadly(tmp_path))
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="3GB", dashboard_address=None) as cluster:
        with dask.Client(cluster):
            table = distributed.on_dask([corpus], parts=PARTS, target=TARGETS).compute()
    whole(table, corpus, tmp_path)


@pytest.mark.parametrize("parts", [1, 7, 100])
def test_any_number_of_parts_is_the_whole(corpus, parts):
    table = distributed.rows(distributed.parts([corpus], parts=parts, target=TARGETS))
    assert lines(table) == of_one_run(corpus)
    # In the order of the parts it is the order of one run, too.
    command = [CHIARO, "-q", "batch", str(corpus), "--target", ",".join(TARGETS)]
    assert "\n".join(table["line"]).encode() + b"\n" == subprocess.run(command, capture_output=True, check=True).stdout


def test_what_is_known_is_not_made_again(corpus, tmp_path):
    calls = distributed.parts([corpus], parts=4, target=TARGETS, cache=str(tmp_path / "cache"))
    first = distributed.rows(calls)
    assert len(list((tmp_path / "cache").iterdir())) == 25
    assert distributed.rows(calls).equals(first)


def test_wrong_questions_are_told(corpus):
    import chiaro

    with pytest.raises(ValueError, match="0 parts"):
        distributed.parts([corpus], parts=0)
    for wrong in ({"target": "voodoo"}, {"no_such_option": 1}):
        with pytest.raises(chiaro.UsageError):
            distributed.rows(distributed.parts([corpus], parts=1, **wrong))
    with pytest.raises(chiaro.InputError, match="no-such-folder"):
        distributed.rows(distributed.parts(["no-such-folder"], parts=1))
