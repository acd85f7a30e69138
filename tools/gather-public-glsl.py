#!/usr/bin/env python3
"""Gathers GLSL of public repositories for `chiaro-filetest public`:

    tools/gather-public-glsl.py FOLDER [OWNER/NAME ...]
    cargo run --release -p chiaro-filetest -- public FOLDER

Without names it takes the repositories of `tools/public-glsl.tsv`, at the commits that were measured.
Clones are kept in FOLDER.clones; what is there already is not fetched. Needs the network and git.

Everything whose name or text says its stage is written under a name that ends with that stage:
`a.vs` as `a.vs.vert`, both halves of a RetroArch shader, every script of a page. Files that others may
include are written as they are. Nothing of it goes into this repository.
"""
import re
import subprocess
import sys
from pathlib import Path

STAGES = "vert tesc tese geom task mesh frag comp rgen rint rahit rchit rmiss rcall".split()
# What projects call them.
ALIASES = {
    "vs": "vert", "vsh": "vert", "vp": "vert", "glslv": "vert", "vertex": "vert",
    "fs": "frag", "fsh": "frag", "fp": "frag", "ps": "frag", "glslf": "frag", "fragment": "frag",
    "gs": "geom", "gsh": "geom", "geometry": "geom",
    "tcs": "tesc", "cont": "tesc", "tes": "tese", "eval": "tese",
    "cs": "comp", "csh": "comp", "compute": "comp",
}
INCLUDED = {"glsl", "slang", "inc", "h", "glh", "glslinc", "hlsl"}
TEXT = INCLUDED | {"html"} | set(STAGES) | set(ALIASES)
SCRIPT = re.compile(r"<script[^>]*?x-shader/x-(vertex|fragment)[^>]*>(.*?)</script>", re.S | re.I)
PRAGMA = r"^\s*#\s*pragma\s+stage\s+"
# Larger files are data.
LARGEST = 1 << 20


def stage(name):
    """The stage that the last parts of a name say: `a.frag.glsl`, `a_vs.glsl`, `a.vert`."""
    parts = name.lower().split(".")[1:]
    for part in reversed(parts[-2:]):
        if part in STAGES or part in ALIASES:
            return ALIASES.get(part, part)
        if part not in ("glsl", "slang", "in"):
            break
    if parts and parts[-1] == "glsl":
        tail = re.split(r"[._-]", name.lower())[-2]
        return ALIASES.get(tail, tail if tail in STAGES else None)
    return None


def guessed(text):
    """The stage that a text without one in its name is most likely for."""
    if "local_size_x" in text:
        return "comp"
    return "vert" if "gl_Position" in text and not re.search("gl_Frag|texture2D", text) else "frag"


def with_define(text, name):
    """The text with a macro defined behind its version."""
    version = re.search(r"^[ \t]*#[ \t]*version[^\n]*\n", text, re.M)
    at = version.end() if version else 0
    return f"{text[:at]}#define {name}\n{text[at:]}"


def of_stage(text, wanted):
    """What `#pragma stage` leaves of a text for one stage, line by line."""
    kept, current = [], None
    for line in text.splitlines():
        found = re.match(PRAGMA + r"(\w+)", line)
        if found:
            current = found[1]
        kept.append(line if not found and current in (None, wanted) else "")
    return "\n".join(kept) + "\n"


def sources(path, text):
    """The files that come of one: name and text."""
    name = path.rsplit("/", 1)[-1]
    end, own = name.rsplit(".", 1)[-1].lower(), stage(name)
    if end == "html":
        for i, (kind, body) in enumerate(SCRIPT.findall(text)):
            yield f"{path}.{i}.{ALIASES[kind.lower()]}", body.lstrip()
        return
    yield path, text
    both = end == "glsl" and "defined(VERTEX)" in text and "defined(FRAGMENT)" in text
    pragmas = set(re.findall(PRAGMA + r"(\w+)", text, re.M))
    for kind in ("vertex", "fragment"):
        if kind in pragmas:
            yield f"{path}.{ALIASES[kind]}", of_stage(text, kind)
        elif both:
            yield f"{path}.{ALIASES[kind]}", with_define(text, kind.upper())
    if both or pragmas:
        return
    if own is None and end == "glsl":
        yield f"{path}.{guessed(text)}", text
    elif own is not None and end != own:
        yield f"{path}.{own}", text


def blobs(repo, commit):
    """Path and text of every file that may matter."""
    git = ["git", "-C", str(repo)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", commit], capture_output=True, check=True)
    wanted = []
    for row in filter(None, listed.stdout.split(b"\0")):
        (mode, _, blob, size), path = row.split(b"\t", 1)[0].split(), row.split(b"\t", 1)[1].decode("utf-8", "replace")
        is_text = path.rsplit(".", 1)[-1].lower() in TEXT
        if is_text and mode != b"120000" and size.isdigit() and int(size) <= LARGEST:
            wanted.append((path, blob))
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as batch:
        for path, blob in wanted:
            batch.stdin.write(blob + b"\n")
            batch.stdin.flush()
            size = int(batch.stdout.readline().split()[2])
            yield path, batch.stdout.read(size + 1)[:-1].decode("utf-8", "surrogateescape")
        batch.stdin.close()


def clone(clones, name, commit):
    """A local copy of a repository at a commit."""
    place = clones / name.replace("/", "+")
    if not place.exists():
        subprocess.run(["git", "init", "--quiet", "--bare", str(place)], check=True)
        url = f"https://github.com/{name}"
        subprocess.run(["git", "-C", str(place), "fetch", "--quiet", "--depth", "1", url, commit], check=True)
        subprocess.run(["git", "-C", str(place), "update-ref", "HEAD", "FETCH_HEAD"], check=True)
    return place


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: tools/gather-public-glsl.py FOLDER [OWNER/NAME ...]")
    folder = Path(sys.argv[1])
    rows = (Path(__file__).parent / "public-glsl.tsv").read_text().splitlines()
    commits = dict(row.split("\t") for row in rows if not row.startswith("#"))
    for name in sys.argv[2:] or commits:
        commit = commits.get(name, "HEAD")
        repo = clone(folder.with_name(folder.name + ".clones"), name, commit)
        for path, text in blobs(repo, commit):
            for made, body in sources(path, text):
                place = folder / name.replace("/", "+") / made
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(body.encode("utf-8", "surrogateescape"))
        print(name)


main()
