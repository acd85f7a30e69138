#!/usr/bin/env python3
"""LLVM's tools read our code objects of RDNA2: llvm-readelf and llvm-objdump without a warning, llvm-objdump with the
instructions of our listing, branch by branch to the same place. Linked by ld.lld, where it is, the same once more.

    tools/rdna-llvm.py CHIARO FOLDER [OBJECT ...]

CHIARO is the command. Objects are those given and what CHIARO makes of sources in `examples/rdna` and of the shaders
in FOLDER, if it is there, in waves of both sizes. Answers 1 if something differs, 0 with a line if LLVM is missing.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\t(.*?)\s*// ([0-9A-F]{12}): [0-9A-F ]+?(?: <.*>)?$")
REFERENCE = re.compile(r"[\w.$]+@(?:rel32|gotpcrel32|abs32)@(?:lo|hi)\+\d+")
BRANCH = re.compile(r"^(s_(?:c?branch\w*|call_b64|subvector_loop_\w+)\b.*?)(\S+)$")


def run(*command):
    made = subprocess.run(command, capture_output=True, text=True)
    return made.stdout, made.stderr.strip(), made.returncode


def theirs(path, wave):
    """Instructions as LLVM prints them, by their places."""
    size = ["--mattr=+wavefrontsize64"] if wave == 64 else []
    out, wrong, _ = run("llvm-objdump", "-d", "--mcpu=gfx1030", *size, str(path))
    found = [LINE.match(line) for line in out.splitlines()]
    return [(int(m[2], 16), m[1].strip()) for m in found if m], wrong


def ours(chiaro, path):
    """Instructions of our listing, the number of the one that each label stands before, and the size of waves."""
    out, wrong, _ = run(chiaro, "dis", "--target", "rdna", str(path))
    lines, labels = [], {}
    for line in out.split('\n.section .rodata')[0].splitlines():
        if line.startswith("  ") and not line.lstrip().startswith(".reloc"):
            lines.append(line.strip())
        elif line.endswith(":"):
            labels[line[:-1]] = len(lines)
    wave = 64 if ".amdhsa_wavefront_size32 0" in out else 32
    return lines, labels, wave, wrong


def plain(text):
    """What differs between versions of LLVM, and what a linker fills in."""
    text = re.sub(r"\s+", " ", REFERENCE.sub("0", text).replace("lit(0x0)", "0"))
    return re.sub(r", (null|0x0)$", ", 0", text)


def target(text, place, labels, places):
    """The branch with the place that it goes to."""
    branch = BRANCH.match(text)
    if not branch:
        return text
    to = branch[2]
    if to in labels:
        number = labels[to]
        return f"{branch[1]}{places[number] if number < len(places) else 'end'}"
    step = int(to, 0) if re.fullmatch(r"-?\w+", to) else 0
    step -= 0x10000 if step >= 0x8000 else 0
    return f"{branch[1]}{place + 4 + 4 * step}"


def differences(chiaro, path):
    for command in (["llvm-readelf", "-a", "--notes"], ["llvm-objdump", "-r", "-t"]):
        _, wrong, code = run(*command, str(path))
        if wrong or code:
            yield f"{' '.join(command)}: {wrong}"
    lines, labels, wave, ill = ours(chiaro, path)
    listed, wrong = theirs(path, wave)
    if wrong or ill:
        yield wrong or ill
    places = [place for place, _ in listed]
    # LLVM ends a function where its size ends, and leaves out what fills up to the next one.
    for (place, text), line in zip(listed, lines):
        one, other = (plain(target(t, place, labels, places)) for t in (text, line))
        if one != other:
            yield f"at {place:#x}: LLVM has `{text}`, the listing `{line}`"
    if not listed or len(listed) > len(lines):
        yield f"LLVM reads {len(listed)} instructions, the listing has {len(lines)}"


def objects(chiaro, folder, scratch):
    """What our assembler and our compiler make."""
    for source in sorted(pathlib.Path("examples/rdna").rglob("*.s")):
        made = scratch / f"{source.stem}.s.o"
        _, _, code = run(chiaro, "asm", "--target", "rdna", str(source), "-o", str(made))
        if code == 0:
            yield made
    shaders = [*pathlib.Path("examples/rdna").glob("*.comp"), *sorted(pathlib.Path(folder).glob("*.comp"))]
    for source in shaders:
        for wave in ("32", "64"):
            made = scratch / f"{source.stem}.{wave}.o"
            _, _, code = run(
                chiaro, "compile", "--target", "rdna", "-m", f"wave={wave}", str(source), "-o", str(made)
            )
            if code == 0:
                yield made


def linked(chiaro, path):
    """The object as a linker makes a program of it, if there is one: by version 4, which older linkers know, too."""
    text, older, made = (path.with_suffix(f".linked{end}") for end in (".s", ".o", ".hsaco"))
    listing, _, _ = run(chiaro, "dis", "--target", "rdna", str(path))
    text.write_text(listing.replace("code_object_version 5", "code_object_version 4"))
    steps = [[chiaro, "asm", "--target", "rdna", str(text), "-o", str(older)]]
    steps += [["ld.lld", "-shared", str(older), "-o", str(made)]]
    if not shutil.which("ld.lld"):
        return []
    wrong = [said for _, said, code in (run(*step) for step in steps) if code]
    if wrong:
        print(f"{path.name}: {wrong[0]}")
    return [made]


def main():
    chiaro, folder, *given = sys.argv[1:]
    missing = [tool for tool in ("llvm-readelf", "llvm-objdump") if not shutil.which(tool)]
    if missing:
        print(f"skipped: there is no {' and no '.join(missing)} (apt-get install llvm)")
        return 0
    wrong = read = programs = 0
    with tempfile.TemporaryDirectory() as scratch:
        own = [pathlib.Path(shutil.copy(path, scratch)) for path in given]
        for path in [*own, *objects(chiaro, folder, pathlib.Path(scratch))]:
            both = linked(chiaro, path)
            programs += len(both)
            for one in [path, *both]:
                found = list(differences(chiaro, one))
                for difference in found[:5]:
                    print(f"{one.name}: {difference}")
                wrong += bool(found)
                read += 1
    note = f", {programs} of them linked" if programs else "; no ld.lld, so none is linked"
    print(f"LLVM reads {read} code objects{note}; {wrong} differ")
    return 1 if wrong or not read else 0


sys.exit(main())
