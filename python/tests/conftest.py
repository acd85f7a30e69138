"""Sources that the tests share."""

import pytest

TWICE = ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n"
VERTEX = """attribute vec4 position;
uniform mat4 mvp;
varying vec4 tint;
void main() {
    tint = position * 0.5;
    gl_Position = mvp * position;
}
"""
COMPUTE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float values[]; };
void main() { values[gl_GlobalInvocationID.x] *= 2.0; }
"""


@pytest.fixture
def corpus(tmp_path):  # type: ignore[no-untyped-def]
    """A folder of shaders, one of which is broken."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for n in range(24):
        body = " + ".join([f"p * {n}.5"] + ["p.yxwz"] * (n % 5))
        (folder / f"s{n:02}.vert").write_text(f"attribute vec4 p; void main() {{ gl_Position = {body}; }}\n")
    (folder / "broken.vert").write_text("void main() { gl_Position = nothing; }\n")
    return folder
