"""Every function once, with what a caller can do wrong."""

import json
import pickle
import threading
import time

import numpy as np
import pytest

import chiaro
from chiaro import Source

from conftest import COMPUTE, TWICE, VERTEX


def compiled(target="pica200"):
    return chiaro.compile(Source("a.vert", VERTEX), target=target)


@pytest.mark.parametrize("target", [t["name"] for t in chiaro.targets() if "compile" in t["offers"]])
def test_all_compilers(target):
    about = next(t for t in chiaro.targets() if t["name"] == target)
    source = Source("a.vert", VERTEX) if "vertex" in about["stages"] else Source("a.comp", COMPUTE)
    made = chiaro.compile(source, target=target)
    assert made.container and made.code and made.listing and made.ir
    assert made.report["target"] == made.target == target
    assert chiaro.disassemble(made.container, target=target)
    assert isinstance(chiaro.info(made.container), dict)
    assert not [d for d in chiaro.check(made.container, target=target) if d.severity == "error"]
    assert chiaro.abi(made.container)
    assert chiaro.report(source, target=target)["target"] == target
    if "report on containers" in about["offers"]:
        assert chiaro.report(made.container, target=target)["target"] == target


def test_sources_may_be_files(tmp_path):
    (tmp_path / "half.glsl").write_text("#define HALF 0.5\n")
    path = tmp_path / "a.vert"
    head = '#extension GL_GOOGLE_include_directive : enable\n#include "half.glsl"\n'
    path.write_text(head + VERTEX.replace("0.5", "HALF"))
    assert chiaro.compile(path, target="pica200").container == chiaro.compile(str(path), target="pica200").container
    with pytest.raises(chiaro.InputError, match="cannot read"):
        chiaro.compile(tmp_path / "none.vert", target="pica200")


def test_settings_defines_constants():
    text = "attribute vec4 p; void main() { gl_Position = p * SCALE; }"
    one = chiaro.compile(Source("a.vert", text), target="pica200", defines={"SCALE": 2.0})
    two = chiaro.compile(Source("a.vert", text), target="pica200", defines={"SCALE": "p.x"}, effort=0)
    assert one.container != two.container
    with pytest.raises(chiaro.ChiaroError, match="no setting `nothing`"):
        chiaro.compile(Source("a.vert", text), target="pica200", defines={"SCALE": 1.0}, settings={"nothing": 1})


def test_errors_have_a_place():
    with pytest.raises(chiaro.InputError) as caught:
        chiaro.compile(Source("a.vert", "void main() {\n  gl_Position = nothing;\n}\n"), target="pica200")
    error = caught.value
    assert (error.file, error.line, error.column) == ("a.vert", 2, 17)
    assert "nothing" in error.message and "gl_Position = nothing" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.diagnostics == error.diagnostics and str(again) == str(error)


def test_misuse_is_told():
    for ask in (
        lambda: chiaro.compile(Source("a.vert", VERTEX), target="voodoo"),
        lambda: chiaro.compile(Source("a.vert", VERTEX), target="pica200", no_such_option=1),
        lambda: chiaro.compile(Source("a.unknown", VERTEX), target="pica200"),
        lambda: chiaro.compile(target="pica200"),
        lambda: chiaro.explain("pica200", []),
        lambda: chiaro.command("no-such-command"),
        lambda: chiaro.command("check", "--watch", "a.vert"),
    ):
        with pytest.raises(chiaro.UsageError):
            ask()
    for wrong in (b"", b"\0\1\2", b"DVLB" + b"\xff" * 64):
        with pytest.raises(chiaro.ChiaroError):
            chiaro.info(wrong)
        with pytest.raises(chiaro.ChiaroError):
            chiaro.simulate(wrong, target="pica200")
    with pytest.raises(chiaro.InputError, match="not text|UTF-8"):
        chiaro.assemble(Source("a.v.pica", b"\xff\xfe"))
    with pytest.raises(TypeError):
        chiaro.compile(3, target="pica200")  # type: ignore[arg-type]


def test_assemble_and_back():
    made = chiaro.assemble(Source("twice.v.pica", TWICE))
    listing = chiaro.disassemble(made.container)
    assert "add" in listing
    assert chiaro.assemble(Source("again.v.pica", listing)).container == made.container
    with pytest.raises(chiaro.InputError) as caught:
        chiaro.assemble(Source("a.v.pica", ".proc main\nmvo r0, r1\n.end\n"))
    assert (caught.value.line, caught.value.column) == (2, 1) and caught.value.help


def test_check_finds_and_raises_not():
    found = chiaro.check(Source("a.vert", "void main() { gl_Position = nothing; }"))
    assert [d.severity for d in found] == ["error"] and found[0].line == 1
    assert chiaro.check(Source("a.vert", VERTEX)) == ()


def test_what_mends_is_data():
    (found,) = chiaro.check(Source("a.vert", "attribute vec4 position;\nvoid main() { gl_Position = positoin; }"))
    (fix,) = found.fixes
    (edit,) = fix.edits
    assert fix.title == "replace `positoin` by `position`" and found.rule is None
    assert (edit.line, edit.column, edit.end_column, edit.text) == (2, 29, 37, "position")


def test_explain():
    text = chiaro.explain("pica200", [0x4C010000, 0x36F])
    assert "mov" in text
    assert chiaro.explain("pica200", np.array([0x4C010000, 0x36F], "<u4").tobytes()) == text


def test_reports(corpus):
    assert chiaro.report(Source("a.vert", VERTEX), target="pica200")["cycles"]["longest"] > 0
    table = json.loads(chiaro.report_many(corpus, target=["pica200", "a3xx"]))
    assert len(table["reports"]) == 48 and len(table["failures"]) == 2
    assert "broken.vert" in chiaro.report_many(corpus, target="pica200", format="sarif")


def test_diff():
    longer = VERTEX.replace("}", "gl_Position.x += 1.0; }")
    found = chiaro.diff(Source("a.vert", VERTEX), Source("b.vert", longer), target="pica200")
    assert found["instructions"]["after"] > found["instructions"]["before"]
    assert any(line["after_line"] for line in found["lines"])
    text = VERTEX.replace("}", "\n#ifdef FOG\ngl_Position *= 2.0;\n#endif\n}")
    foggy = chiaro.diff(Source("a.vert", text), target="a3xx", after_define=["FOG=1"])
    assert foggy["instructions"]["after"] > foggy["instructions"]["before"]
    both = chiaro.diff(Source("a.vert", VERTEX), target=["pica200", "a3xx"])
    assert both["after_program"]["target"] == "a3xx"
    with pytest.raises(chiaro.InputError) as caught:
        chiaro.diff(Source("a.vert", VERTEX), Source("b.vert", "void main() { nothing; }"), target="pica200")
    assert caught.value.file == "b.vert"


def test_timeline():
    found = chiaro.timeline(Source("a.vert", VERTEX), target="pica200")
    assert found["whole"] and len(found["events"]) > 0 and found["figures"][0]["source"]
    with pytest.raises(chiaro.UsageError):
        chiaro.timeline(Source("a.vert", VERTEX), target="pica200", rounds=0)


def test_abi():
    abi = chiaro.abi(Source("a.vert", VERTEX), target="pica200")
    assert {"mvp", "position"} <= {variable["name"] for variable in abi["variables"]}


def test_link():
    prolog = chiaro.assemble("../examples/agx/prolog.agx", settings={"role": "prolog", "stage": "vertex"})
    main = chiaro.assemble("../examples/agx/main.agx", settings={"role": "main", "stage": "vertex"})
    program = chiaro.link(prolog.container, main.container, target="agx")
    assert not [d for d in chiaro.check(program) if d.severity == "error"]
    with pytest.raises(chiaro.ChiaroError):
        chiaro.link(prolog.container, prolog.container, target="agx")


def test_draw():
    scene = {
        "vertex": "t.vert",
        "fragment": "t.frag",
        "size": [16, 8],
        "clear": [0, 0, 1, 1],
        "attributes": {"position": np.array([[-1, -1, 0], [3, -1, 0], [-1, 3, 0]], np.float32)},
    }
    files = [
        Source("t.vert", "attribute vec4 position; void main() { gl_Position = position; }"),
        Source("t.frag", "precision highp float; void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); }"),
    ]
    for target in (None, "a3xx"):
        picture = chiaro.draw(scene, files, target=target)
        assert picture.shape == (8, 16, 4) and picture.dtype == np.uint8
        assert (picture == [255, 128, 0, 255]).all()
    with pytest.raises(chiaro.InputError, match="nothing"):
        chiaro.draw({**scene, "nothing": 1}, files)


def test_others_run_meanwhile():
    """The lock of the interpreter is free while a compiler works."""
    source = Source("a.vert", "attribute vec4 p; void main() { vec4 q = p; " + "q = sin(q * p) + q.yzwx;" * 60 + " gl_Position = q; }")
    counted, done = [0], threading.Event()

    def compile_it():
        chiaro.compile(source, target="pica200", effort=2)
        done.set()

    thread = threading.Thread(target=compile_it)
    begin = time.perf_counter()
    thread.start()
    while not done.is_set() and time.perf_counter() - begin < 60:
        counted[0] += 1
        time.sleep(0.0005)
    thread.join()
    assert counted[0] > 3
