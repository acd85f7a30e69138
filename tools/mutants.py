#!/usr/bin/env python3
"""Draws mutants over all crates by seed and runs the tests of its own package against each:

    tools/mutants.py [COUNT [SEED [FOLDER]]]      120 mutants of seed 1 into target/mutants without
    tools/mutants.py --list [COUNT [SEED]]        only says which
    tools/mutants.py --of PATTERN [COUNT ...]     only of those whose `FILE:LINE:COLUMN: what` has the pattern

`--of '(pica200|utgard|a3xx|agx|rdna|target|mach)/src/.*(check|verify|proof|contract)'` disables comparisons of checkers
and verifiers, one at a time; each is to be noticed by a test whose inputs are wrong in just that.

Needs cargo-mutants (cargo install cargo-mutants --locked), which says what mutants there are. Building takes far longer
than testing, so all drawn mutants are built at once: the body of a function becomes
`if CHIARO_MUTANT is 17 { the mutant } else { what stood there }`, and tests run with that variable. What cannot be
written so (constant functions, tables, bodies of another type) is built alone. The working tree is changed while
that is built, and put back: run it in a clone.

First all tests run without a mutant, which says how long each program takes and which tests come to the function of
which mutant: only these have to run with it, those of quick programs first, and none behind the first that fails. What
a test builds once and others use could be noticed by these alone, so no mutant is missed before all tests of the
programs that come to it have passed. A test hangs when it takes several times the processor time it takes without.

FOLDER/outcomes.tsv has a line for each mutant, and the test program and the test that noticed it: caught, missed,
timeout (a test that hangs notices as well), unviable (it does not build). The next call with the same FOLDER runs only
what has no line.
"""
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from dataclasses import dataclass, field
from os import environ, killpg
from pathlib import Path

# Bytes of addresses for a test program: a mutant may allocate without end.
MEMORY = 8 << 30
OUTCOMES = "caught missed timeout unviable".split()
# Whether a mutant is on, asked once by each thread: the harness names threads like their tests, and in CHIARO_REACHED
# stays who asked.
SWITCH = """{ ::std::thread_local! { static ON: bool = {
    if let Some(folder) = ::std::env::var_os("CHIARO_REACHED") {
        let name = format!("NUMBER {}", ::std::thread::current().name().unwrap_or("?"));
        let _ = ::std::fs::write(::std::path::Path::new(&folder).join(name), "");
    }
    ::std::env::var("CHIARO_MUTANT").is_ok_and(|n| n == "NUMBER")
} } ON.with(|on| *on) }"""


def names():
    """All mutants by name: `FILE:LINE:COLUMN: what`."""
    command = ["cargo", "mutants", "--list", "--workspace", "--colors", "never"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def draw(all_names, count, seed):
    """Those with the smallest numbers of Park and Miller's generator: the same everywhere."""
    x = seed * 48271 % 2147483647
    numbered = []
    for name in all_names:
        x = x * 16807 % 2147483647
        numbered.append((x, name))
    return sorted(name for _, name in sorted(numbered)[:count])


def described(drawn):
    """Where each of some mutants stands and what stands there instead, in the order of their names."""
    files = [word for file in sorted({name.split(":")[0] for name in drawn}) for word in ("--file", file)]
    command = ["cargo", "mutants", "--list", "--json", "--workspace", *files]
    all_of_files = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    by_name = {mutant["name"]: mutant for mutant in all_of_files}
    keys = ("package", "name", "file", "span", "function", "replacement")
    return [{"number": at + 1, **{key: by_name[name][key] for key in keys}} for at, name in enumerate(drawn)]


def sample(pattern, count, seed, folder):
    """What is drawn, from the folder if it was drawn before: listing takes minutes."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"drawn.{count}.{seed}.{zlib.crc32(pattern.encode()):08x}.json"
    if not kept.exists():
        drawn = draw([name for name in names() if re.search(pattern, name)], count, seed)
        kept.write_text(json.dumps(described(drawn)))
    return json.loads(kept.read_text())


def place(text, at):
    """The index of a line and column, which count characters from one."""
    start = 0
    for _ in range(at["line"] - 1):
        start = text.index("\n", start) + 1
    return start + at["column"] - 1


def spanned(text, span):
    return place(text, span["start"]), place(text, span["end"])


# What braces may stand in without being braces: comments, strings, characters.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|b?r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]+?|[^\\'\n])'|[{}]""", re.S)


def body(text, start, end):
    """Where the braces of the body of a function stand: the group that closes last."""
    depth, opened = 0, None
    for token in TOKEN.finditer(text, start, end):
        if token[0] == "{":
            depth, opened = depth + 1, token.start() if depth == 0 else opened
        elif token[0] == "}":
            depth -= 1
    return opened, end - 1


def function_of(text, mutant):
    """The span of a function, unless it has none or is computed while compiling."""
    if not mutant["function"]:
        return None
    start, end = spanned(text, mutant["function"]["span"])
    opened, _ = body(text, start, end)
    constant = re.search(r"\bconst\s+(unsafe\s+)?fn\b|->\s*impl\b", text[start:opened])
    return None if constant else (start, end)


def mutated(text, mutant):
    """A file with one mutant in it."""
    start, end = spanned(text, mutant["span"])
    return text[:start] + mutant["replacement"] + text[end:]


def switched(text, span, mutants):
    """The body of a function that does what the mutant of CHIARO_MUTANT does, and where each mutant stands in it."""
    opened, closed = body(text, *span)
    out, parts = "", []
    for mutant in mutants:
        before = len(out)
        start, end = spanned(text, mutant["span"])
        changed = text[opened + 1 : start] + mutant["replacement"] + text[end:closed]
        out += f"if {SWITCH.replace('NUMBER', str(mutant['number']))} {{\n{changed}\n}} else "
        parts.append((mutant["number"], before, len(out)))
    return opened + 1, closed, out + "{" + text[opened + 1 : closed] + "}", parts


class Tree:
    """The sources while mutants are in them."""

    def __init__(self):
        self.original = {}

    def write(self, file, text):
        self.original.setdefault(file, Path(file).read_text())
        Path(file).write_text(text)

    def restore(self):
        for file, text in self.original.items():
            if Path(file).read_text() != text:
                Path(file).write_text(text)
        self.original = {}


def weave(tree, mutants):
    """Writes all mutants into the tree; answers with the lines that each takes, and those that have to be built alone."""
    lines, alone = {}, []
    for file in sorted({m["file"] for m in mutants}):
        text = Path(file).read_text()
        functions = {}
        for mutant in (m for m in mutants if m["file"] == file):
            functions.setdefault(function_of(text, mutant), []).append(mutant)
        alone += functions.pop(None, [])
        spans = sorted(functions)
        nested = {b for a in spans for b in spans if a != b and a[0] <= b[0] and b[1] <= a[1]}
        alone += [m for span in nested for m in functions[span]]
        out, done = "", 0
        for span in (span for span in spans if span not in nested):
            start, end, inner, parts = switched(text, span, functions[span])
            out += text[done:start]
            line = lambda at: out.count("\n") + inner.count("\n", 0, at) + 1
            # The first and last line are the switch's own.
            lines.update({number: (file, line(first) + 1, line(last) - 1) for number, first, last in parts})
            out, done = out + inner, end
        tree.write(file, out + text[done:])
    return lines, alone


def build(arguments):
    """Messages of a build, and whether it succeeded."""
    command = ["cargo", *arguments, "--message-format", "json", "--quiet"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")], ran.returncode == 0


def errors(messages):
    """File and line of each place that an error names."""
    for message in messages:
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            for span in message["message"]["spans"]:
                yield span["file_name"], span["line_start"]


def woven(tree, mutants):
    """Builds the tests with all mutants that go together; answers with them, those that have to be built alone,
    those that do not build, and the programs."""
    left, unviable = list(mutants), []
    # All packages, so that features and with them what is built do not depend on what is drawn.
    for arguments in (["check", "--lib", "--bins", "--keep-going", "--workspace"], ["test", "--no-run", "--workspace"]):
        while True:
            lines, unfit = weave(tree, left)
            messages, good = build(arguments)
            tree.restore()
            if good:
                break
            at = set(errors(messages))
            bad = [m for m in left if any(within(lines.get(m["number"]), place) for place in at)]
            if not bad:
                sys.exit(f"does not build, for another reason than a mutant: {sorted(at)}")
            unviable, left = unviable + bad, [m for m in left if m not in bad]
    return [m for m in left if m not in unfit], unfit, unviable, programs(messages)


def within(lines, place):
    return lines and lines[0] == place[0] and lines[1] <= place[1] <= lines[2]


def programs(messages):
    """The test programs of each package."""
    found = []
    for message in messages:
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = Path(message["manifest_path"]).parent
            package = "chiaro-fuzz" if folder.name == "fuzz" else folder.name
            found.append(Program(package, str(folder), message["executable"]))
    return found


@dataclass
class Program:
    """A program of tests, and what it does without a mutant."""

    package: str
    folder: str
    file: str
    seconds: float = 60
    # Of processors.
    work: float = 60
    # The tests that come to each mutant by its number; "?" for a thread that is no test's own.
    reached: dict = field(default_factory=dict)

    def name(self):
        return re.sub(r"-[0-9a-f]{16}$", "", Path(self.file).name)


@dataclass
class Run:
    """How a test program ended: passed, failed or hung, and the first test that failed."""

    how: str
    test: str = ""


def run(program, variables, tests=(), seconds=900, work=900):
    """Runs some tests of a program, or all of them, until one fails."""
    # Cargo sets the folder for tests; a mutant's messages are nobody's business.
    variables = {**environ, "CARGO_MANIFEST_DIR": program.folder, "RUST_BACKTRACE": "0", **variables}
    child = subprocess.Popen([program.file, *(["--exact", *tests] if tests else [])], cwd=program.folder, env=variables,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             errors="replace", preexec_fn=lambda: limit(int(work) + 1), start_new_session=True)
    late = threading.Event()
    clock = threading.Timer(seconds, lambda: (late.set(), end(child)))
    clock.start()
    failed = next((line for line in child.stdout if line.endswith("... FAILED\n")), "")
    if failed:
        end(child)
    code = child.wait()
    clock.cancel()
    if failed or code not in (0, -signal.SIGXCPU, -signal.SIGKILL):
        return Run("failed", failed.removeprefix("test ").removesuffix(" ... FAILED\n"))
    return Run("passed" if code == 0 and not late.is_set() else "hung")


def limit(work):
    """What a test program may take of memory and of processors."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (work, work + 5))


def end(child):
    """Ends a program with all that it started."""
    try:
        killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def sound(program_list):
    """The programs that pass without a mutant, with what they take and reach."""
    passing = []
    for program in program_list:
        start, before = time.monotonic(), work_of_children()
        with tempfile.TemporaryDirectory() as folder:
            ran = run(program, {"CHIARO_REACHED": folder}, (), 1800, 3600)
            program.seconds, program.work = time.monotonic() - start, work_of_children() - before
            for file in Path(folder).iterdir():
                number, test = file.name.split(" ", 1)
                program.reached.setdefault(int(number), []).append(test)
        if ran.how == "passed":
            passing.append(program)
            print(f"{program.seconds:6.1f} s  {program.package} {program.name()}", flush=True)
        else:
            print(f"left out, since it {ran.how} without a mutant: {program.file} {ran.test}", flush=True)
    return passing


def work_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def trials(mutant, passing):
    """What to run for a mutant: a program with the tests that come to it, then all of its tests; quick ones first."""
    fit = [p for p in passing if p.package == mutant["package"] and mutant["number"] in p.reached]
    fit.sort(key=lambda program: program.seconds)
    known = [(p, set(p.reached[mutant["number"]]) - {"?", "main"}) for p in fit]
    return [(p, sorted(tests)) for p, tests in known if tests] + [(p, ()) for p in fit]


def outcome(mutant, runs):
    """What the tests of its package say of a mutant: the word, and which program and test."""
    for program, tests in runs:
        ran = run(program, {"CHIARO_MUTANT": str(mutant["number"])}, tests, 60 + 10 * program.seconds, 20 + 4 * program.work)
        if ran.how != "passed":
            return "caught" if ran.how == "failed" else "timeout", f"{program.name()} {ran.test}".strip()
    return "missed", "" if runs else "no test comes to it"


def alone(tree, mutant, passing):
    """Builds and tries a single mutant."""
    tree.write(mutant["file"], mutated(Path(mutant["file"]).read_text(), mutant))
    messages, good = build(["test", "--no-run", "--package", mutant["package"]])
    tree.restore()
    if not good:
        return "unviable", ""
    taken = {(p.package, p.name()): p for p in passing}
    built = programs(messages)
    for program in built:
        clean = taken.get((program.package, program.name()), program)
        program.seconds, program.work = clean.seconds, clean.work
    built.sort(key=lambda program: program.seconds)
    return outcome(mutant, [(program, ()) for program in built])


def told(folder, mutant, result):
    line = "\t".join([result[0], mutant["package"], mutant["name"], result[1]])
    with open(folder / "outcomes.tsv", "a") as out:
        out.write(line + "\n")
    print(f"{len(tried(folder))}\t{line}", flush=True)


def tried(folder):
    """Outcomes so far, by name."""
    file = folder / "outcomes.tsv"
    rows = [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []
    return {row[2]: row[0] for row in rows}


def arguments(words):
    """Pattern, whether to list only, count, seed, folder."""
    only_list = words[:1] == ["--list"]
    words = words[only_list:]
    pattern = words[1] if words[:1] == ["--of"] else ""
    words = words[2:] if pattern else words
    count, seed, folder = words + ["120", "1", "target/mutants"][len(words):]
    return pattern, only_list, int(count), int(seed), Path(folder)


def main():
    pattern, only_list, count, seed, folder = arguments(sys.argv[1:])
    drawn = sample(pattern, count, seed, folder)
    if only_list:
        print("\n".join(f"{m['package']}\t{m['name']}" for m in drawn))
        return
    done = tried(folder)
    left = [m for m in drawn if m["name"] not in done]
    tree = Tree()
    try:
        together, apart, unviable, tests = woven(tree, left) if left else ([], [], [], [])
        for mutant in unviable:
            told(folder, mutant, ("unviable", ""))
        packages = {mutant["package"] for mutant in left}
        passing = sound([program for program in tests if program.package in packages])
        all_trials = [(mutant, trials(mutant, passing)) for mutant in together]
        for mutant, runs in sorted(all_trials, key=lambda pair: sum(program.seconds for program, _ in pair[1])):
            told(folder, mutant, outcome(mutant, runs))
        for mutant in apart:
            told(folder, mutant, alone(tree, mutant, passing))
    finally:
        tree.restore()
    done = tried(folder)
    print(f"mutants drawn: {len(drawn)}")
    for word in OUTCOMES:
        print(f"{word}: {sum(done.get(m['name']) == word for m in drawn)}")


if __name__ == "__main__":
    main()
