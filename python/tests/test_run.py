"""Simulators and the interpreter, with arrays in and out."""

import numpy as np
import pytest

import chiaro
from chiaro import Source

from conftest import COMPUTE, TWICE, VERTEX


@pytest.fixture(scope="module")
def twice():
    return chiaro.assemble(Source("twice.v.pica", TWICE)).container


def test_rows_of_every_width(twice):
    for width in (1, 2, 3, 4):
        rows = np.arange(100 * width, dtype=np.float32).reshape(100, width)
        full = np.zeros((100, 4), np.float32)
        full[:, 3] = 1
        full[:, :width] = rows
        run = chiaro.simulate(twice, {"x": rows})
        assert np.array_equal(run["position"], full * 2)
        assert run.outputs["position"].bits.shape == (100, 4)
    assert np.array_equal(chiaro.simulate(twice, {"x": rows[:, 0]})["position"][:, 0], rows[:, 0] * 2)


def test_any_array_is_taken(twice):
    rows = np.arange(24, dtype=np.float64).reshape(6, 4)
    wanted = rows.astype(np.float32) * 2
    for given in (rows, rows.tolist(), np.asfortranarray(rows, dtype=np.float32), rows.astype(np.int64)):
        assert np.array_equal(chiaro.simulate(twice, {"x": given})["position"], wanted)
    strided = np.zeros((6, 8), np.float32)
    strided[:, ::2] = rows
    assert np.array_equal(chiaro.simulate(twice, {"x": strided[:, ::2]})["position"], wanted)
    assert len(chiaro.simulate(twice, {"x": np.zeros((0, 4), np.float32)})["position"]) == 0


def test_special_numbers_keep_their_bits(twice):
    special = np.array([[np.inf, -np.inf, -0.0, 1e-45]], np.float32)
    assert chiaro.simulate(twice, {"x": special})["position"].tobytes() == (special + special).tobytes()


def test_results_are_views():
    made = chiaro.compile(Source("a.vert", VERTEX), target="pica200")
    rows = np.random.default_rng(1).random((1000, 4), np.float32)
    run = chiaro.simulate(made.container, {"position": rows}, uniforms={"mvp": np.eye(4, dtype=np.float32) * 2})
    output = run.outputs["position"]
    assert np.shares_memory(output.values, output.bits)
    assert np.allclose(output.values, rows * 2)


def test_what_does_not_fit_is_told(twice):
    with pytest.raises(chiaro.InputError, match="no input or uniform `y`|no input"):
        chiaro.simulate(twice, {"nope": np.zeros((3, 4), np.float32)})
    with pytest.raises(chiaro.InputError, match="2 values for 3 invocations"):
        chiaro.simulate(twice, {"x": np.zeros((3, 4)), "v1": np.zeros((2, 4))})
    with pytest.raises(ValueError, match="1 to 4"):
        chiaro.simulate(twice, {"x": np.zeros((3, 5))})
    with pytest.raises((ValueError, TypeError)):
        chiaro.simulate(twice, {"x": np.zeros((3, 2, 2))})
    with pytest.raises((ValueError, TypeError)):
        chiaro.simulate(twice, {"x": "many"})
    with pytest.raises(chiaro.ChiaroError, match="mode"):
        chiaro.simulate(twice, {"x": [[1]]}, mode="none such")
    with pytest.raises(ValueError, match="one of"):
        chiaro.simulate(twice, {"x": [[1]]}, groups=(1,))


def test_what_does_not_end_is_a_fault(twice):
    run = chiaro.simulate(twice, {"x": [[1], [2]]}, max_steps=1)
    assert [fault.invocation for fault in run.faults] == [0, 1] and "1 steps" in run.faults[0].cause


@pytest.mark.parametrize("target", ["a3xx", "agx", "rdna"])
def test_groups_and_buffers(target):
    made = chiaro.compile(Source("a.comp", COMPUTE), target=target)
    values = np.arange(128, dtype=np.float32)
    # Some containers keep the name of the block, some that of its only member.
    name = next(v["name"] for v in made.report["variables"] if v["name"].startswith(("Data", "values")))
    run = chiaro.simulate(made.container, groups=(2,), buffers={name: values}, target=target)
    (left,) = run.buffers.values()
    assert np.array_equal(left.view(np.float32), values * 2)


@pytest.mark.parametrize("target", ["pica200", "utgard-gp", "a3xx"])
def test_targets_agree(target):
    made = chiaro.compile(Source("a.vert", VERTEX), target=target)
    rows = np.random.default_rng(2).random((70, 4), np.float32)
    run = chiaro.simulate(made.container, {"position": rows}, uniforms={"mvp": np.eye(4)}, target=target)
    # Utgard's positions are the viewport's already.
    found = run["tint"] * 2 if "tint" in run.outputs else run["position"]
    assert np.allclose(found, rows, atol=1e-3)


def test_trace(twice):
    steps = chiaro.trace(twice, {"x": [[1, 2, 3, 4]]}, target="pica200")
    assert len(steps) == 1 and "add" in steps[0][0]["text"]
    assert steps[0][0]["writes"]


def test_interpret():
    made = chiaro.interpret(Source("a.comp", COMPUTE), buffers={"Data": np.arange(64.0)}, groups=(1,))
    assert made["buffers"]["values"]["value"][5] == 10.0
    vertex = chiaro.interpret(Source("a.vert", VERTEX), uniforms={"mvp": np.eye(4)}, vertices=[{"position": [1, 2, 3, 4]}])
    assert [1.0, 2.0, 3.0, 4.0] in [output["value"] for output in vertex["outputs"][0].values()]
    with pytest.raises(chiaro.InputError, match="no buffer or uniform"):
        chiaro.interpret(Source("a.vert", VERTEX), uniforms={"none": 1})
