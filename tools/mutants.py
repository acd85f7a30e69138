#!/usr/bin/env python3
"""Draws mutants over all crates by seed and runs the tests of its own package against each:

    tools/mutants.py [COUNT [SEED [FOLDER]]]      120 mutants of seed 1 into target/mutants without
    tools/mutants.py --list [COUNT [SEED]]        only says which
    tools/mutants.py --of PATTERN [COUNT ...]     only of those whose `FILE:LINE:COLUMN: what` has the pattern
    tools/mutants.py --by NAMES [--of ...]        runs only the tests of these files, with commas between them:
                                                  `--by lib,check` for unit tests and `tests/check.rs`

`--of '(pica200|utgard|a3xx|agx|rdna|target|mach)/src/.*(check|verify|proof|contract)'` disables comparisons of checkers
and verifiers, one at a time; each is to be noticed by a test whose inputs are wrong in just that.

Needs cargo-mutants (cargo install cargo-mutants --locked), which says what mutants there are. Building takes far longer
than testing, so all drawn mutants are built at once: the body of a function becomes
`if CHIARO_MUTANT is 17 { the mutant } else { what stood there }`, and tests run with that variable. What cannot be
written so (constant functions, tables, bodies of another type) is built alone. The working tree is changed while
that is built, and put back: run it in a clone.

First each test runs without a mutant in a process of its own, which says how long it takes and to the functions of
which mutants it comes, also by what it would otherwise share with other tests: only these have to run with a mutant,
quick ones first, and none behind the first that fails. Two mutants are tried at a time. A test hangs when it takes
several times the processor time it takes without.

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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import environ, killpg, wait4, waitstatus_to_exitcode
from pathlib import Path

# Bytes of addresses for a test program: a mutant may allocate without end.
MEMORY = 8 << 30
TELLING = threading.Lock()
OUTCOMES = "caught missed timeout unviable".split()
# How many mutants are tried, and how many tests measured, at a time.
AT_ONCE = 2
# Parts of packages that are built only if they are asked for, and have tests.
FEATURES = {"chiaro-filetest": "chiaro-filetest/lavapipe"}
# Whether a mutant is on, asked once by each process; in CHIARO_REACHED stays that it was asked.
SWITCH = """{ static ON: ::std::sync::LazyLock<bool> = ::std::sync::LazyLock::new(|| {
    if let Some(folder) = ::std::env::var_os("CHIARO_REACHED") {
        let _ = ::std::fs::write(::std::path::Path::new(&folder).join("NUMBER"), "");
    }
    ::std::env::var("CHIARO_MUTANT").is_ok_and(|n| n == "NUMBER")
}); *ON }"""


def everything():
    """All mutants; the name of each is `FILE:LINE:COLUMN: what`."""
    command = ["cargo", "mutants", "--list", "--json", "--workspace"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def draw(mutants, count, seed):
    """Those with the smallest numbers of Park and Miller's generator: the same everywhere."""
    x = seed * 48271 % 2147483647
    numbered = []
    for mutant in mutants:
        x = x * 16807 % 2147483647
        numbered.append((x, mutant))
    smallest = sorted(numbered, key=lambda pair: pair[0])[:count]
    return sorted((mutant for _, mutant in smallest), key=lambda mutant: mutant["name"])


def described(drawn):
    """Where each of some mutants stands and what stands there instead."""
    keys = ("package", "name", "file", "span", "function", "replacement")
    return [{"number": at + 1, **{key: mutant[key] for key in keys}} for at, mutant in enumerate(drawn)]


def sample(pattern, count, seed, folder):
    """What is drawn, from the folder if it was drawn before: listing takes minutes."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"drawn.{count}.{seed}.{zlib.crc32(pattern.encode()):08x}.json"
    if not kept.exists():
        drawn = draw([mutant for mutant in everything() if re.search(pattern, mutant["name"])], count, seed)
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

    def text(self, file):
        """What stands in a file without mutants."""
        return self.original.setdefault(file, Path(file).read_text())

    def write(self, file, text):
        self.text(file)
        # What stays as it is is not built again.
        if Path(file).read_text() != text:
            Path(file).write_text(text)

    def restore(self):
        for file, text in self.original.items():
            self.write(file, text)
        self.original = {}


def weave(tree, mutants):
    """Writes all mutants into the tree; answers with the lines that each takes, and those that have to be built alone."""
    lines, alone = {}, []
    for file in sorted({m["file"] for m in mutants} | set(tree.original)):
        text = tree.text(file)
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


def selected(names):
    """What tells Cargo to build the programs that have the tests of some files; all of them if there is no name."""
    unit = ["--lib"] if "lib" in names else []
    return unit + (["--test", "*"] if set(names) - {"lib"} else [])


def packages(mutants):
    """What tells Cargo to build the packages of some mutants, with all that they have."""
    names = sorted({mutant["package"] for mutant in mutants})
    words = [word for name in names for word in ("--package", name)]
    return words + [word for name in names if name in FEATURES for word in ("--features", FEATURES[name])]


def woven(tree, mutants, chosen):
    """Builds the tests with all mutants that go together; answers with them, those that have to be built alone,
    those that do not build, and the programs."""
    owners = packages(mutants)
    # Checking finds nearly all that do not build, at a small part of what building takes.
    checked, _, _ = built(tree, mutants, ["check", "--keep-going", *owners, *(chosen or ["--tests"])])
    left, unfit, messages = built(tree, checked, ["test", "--no-run", *owners, *chosen])
    tree.restore()
    unviable = [m for m in mutants if m not in left]
    return [m for m in left if m not in unfit], unfit, unviable, programs(messages)


def built(tree, mutants, arguments):
    """Builds without the mutants that do not build; answers with the others, those of them that have to be built
    alone, and the messages."""
    left = list(mutants)
    while True:
        lines, unfit = weave(tree, left)
        messages, good = build(arguments)
        if good:
            return left, unfit, messages
        at = set(errors(messages))
        bad = [m for m in left if any(within(lines.get(m["number"]), place) for place in at)]
        if not bad:
            sys.exit(f"does not build, for another reason than a mutant: {sorted(at)}")
        left = [m for m in left if m not in bad]


def within(lines, place):
    return lines and lines[0] == place[0] and lines[1] <= place[1] <= lines[2]


def programs(messages):
    """The test programs of each package."""
    found = []
    for message in messages:
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = Path(message["manifest_path"]).parent
            package = "chiaro-fuzz" if folder.name == "fuzz" else folder.name
            unit = "test" not in message["target"]["kind"]
            found.append(Program(package, str(folder), message["executable"], unit))
    return found


@dataclass(frozen=True)
class Program:
    """A program of tests."""

    package: str
    folder: str
    file: str
    # Whether its tests are beside what they try.
    unit: bool

    def name(self):
        return re.sub(r"-[0-9a-f]{16}$", "", Path(self.file).name)

    def tests(self):
        listed = subprocess.run([self.file, "--list", "--format", "terse"], cwd=self.folder, capture_output=True,
                                text=True).stdout.splitlines()
        return [line.removesuffix(": test") for line in listed if line.endswith(": test")]

    def place(self, test):
        """The file of a test: `lib`, or its name in the folder of tests, which is a module where all are one program."""
        if self.unit:
            return "lib"
        return test.split("::")[0] if self.name() == "all" else self.name()


@dataclass
class Test:
    """A test, and what it does without a mutant."""

    program: Program
    name: str
    seconds: float
    # Of processors.
    work: float
    # The mutants that it comes to, by their numbers.
    reached: set = field(default_factory=set)


@dataclass
class Run:
    """How some tests ended: passed, failed or hung, the first that failed, and the seconds they took of processors."""

    how: str
    test: str = ""
    work: float = 0


def run(program, variables, tests, seconds, work):
    """Runs some tests of a program, one behind the other, until one fails."""
    # Cargo sets the folder for tests; a mutant's messages are nobody's business.
    variables = {**environ, "CARGO_MANIFEST_DIR": program.folder, "RUST_BACKTRACE": "0", **variables}
    child = subprocess.Popen([program.file, "--test-threads=1", "--exact", *tests], cwd=program.folder, env=variables,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             errors="replace", start_new_session=True)
    limit(child.pid, int(work) + 1)
    late = threading.Event()
    clock = threading.Timer(seconds, lambda: (late.set(), end(child)))
    clock.start()
    failed = next((line for line in child.stdout if line.endswith("... FAILED\n")), "")
    if failed:
        end(child)
    _, status, used = wait4(child.pid, 0)
    clock.cancel()
    child.stdout.close()
    code = child.returncode = waitstatus_to_exitcode(status)
    used = used.ru_utime + used.ru_stime
    if failed or code not in (0, -signal.SIGXCPU, -signal.SIGKILL):
        return Run("failed", failed.removeprefix("test ").removesuffix(" ... FAILED\n"), used)
    return Run("passed" if code == 0 and not late.is_set() else "hung", "", used)


def limit(process, work):
    """What a test program may take of memory and of processors."""
    resource.prlimit(process, resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.prlimit(process, resource.RLIMIT_CPU, (work, work + 5))


def end(child):
    """Ends a program with all that it started."""
    try:
        killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def sound(program_list, names):
    """The tests of some files that pass without a mutant, with what they take and reach; of all if there is no name."""
    pairs = [(program, name) for program in program_list for name in program.tests()
             if not names or program.place(name) in names]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        measured = list(pool.map(lambda pair: measure(*pair), pairs))
    passing = [test for test in measured if test]
    for program in program_list:
        work = sum(test.work for test in passing if test.program == program)
        print(f"{work:6.1f} s  {program.package} {program.name()}", flush=True)
    return passing


def measure(program, name):
    """A test alone, without a mutant; none if it does not pass."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        ran = run(program, {"CHIARO_REACHED": folder}, [name], 1800, 3600)
        seconds = time.monotonic() - start
        reached = {int(file.name) for file in Path(folder).iterdir()}
    if ran.how == "passed":
        return Test(program, name, seconds, ran.work, reached)
    print(f"left out, since it {ran.how} without a mutant: {program.file} {name}", flush=True)


def batches(tests):
    """Tests that run in one process: those of a program that take about as long. Quick ones come first."""
    found = {}
    for test in sorted(tests, key=lambda test: test.work):
        size = sum(test.work > bound for bound in (0.1, 1, 5, 20, 60))
        found.setdefault((size, test.program), []).append(test)
    return list(found.values())


def outcome(mutant, tests):
    """What the tests that come to a mutant say of it: the word, and which program and test."""
    for batch in batches(tests):
        program, names = batch[0].program, [test.name for test in batch]
        seconds, work = (sum(getattr(test, of) for test in batch) for of in ("seconds", "work"))
        ran = run(program, {"CHIARO_MUTANT": str(mutant["number"])}, names, 60 + 10 * seconds, 10 + 4 * work)
        if ran.how != "passed":
            return "caught" if ran.how == "failed" else "timeout", f"{program.name()} {ran.test}".strip()
    return "missed", "" if tests else "no test comes to it"


def comes_to(test, mutant):
    return test.program.package == mutant["package"] and mutant["number"] in test.reached


def alone(tree, mutant, passing, chosen):
    """Builds and tries a single mutant."""
    tree.write(mutant["file"], mutated(tree.text(mutant["file"]), mutant))
    messages, good = build(["test", "--no-run", *packages([mutant]), *chosen])
    tree.restore()
    if not good:
        return "unviable", ""
    clean = {(test.program.package, test.program.name(), test.name): test for test in passing}
    tests = []
    for program in programs(messages):
        for name in program.tests():
            if known := clean.get((program.package, program.name(), name)):
                tests.append(Test(program, name, known.seconds, known.work))
    return outcome(mutant, tests)


def told(folder, mutant, result):
    line = "\t".join([result[0], mutant["package"], mutant["name"], result[1]])
    with TELLING:
        with open(folder / "outcomes.tsv", "a") as out:
            out.write(line + "\n")
        print(f"{len(tried(folder))}\t{line}", flush=True)


def tried(folder):
    """Outcomes so far, by name."""
    file = folder / "outcomes.tsv"
    rows = [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []
    return {row[2]: row[0] for row in rows}


def arguments(words):
    """Names of files of tests, pattern, whether to list only, count, seed, folder."""
    only_list = words[:1] == ["--list"]
    words = words[only_list:]
    names = words[1].split(",") if words[:1] == ["--by"] else []
    words = words[2:] if names else words
    pattern = words[1] if words[:1] == ["--of"] else ""
    words = words[2:] if pattern else words
    count, seed, folder = words + ["120", "1", "target/mutants"][len(words):]
    return names, pattern, only_list, int(count), int(seed), Path(folder)


def main():
    names, pattern, only_list, count, seed, folder = arguments(sys.argv[1:])
    chosen = selected(names)
    drawn = sample(pattern, count, seed, folder)
    if only_list:
        print("\n".join(f"{m['package']}\t{m['name']}" for m in drawn))
        return
    done = tried(folder)
    left = [m for m in drawn if m["name"] not in done]
    tree = Tree()
    try:
        together, apart, unviable, tests = woven(tree, left, chosen) if left else ([], [], [], [])
        for mutant in unviable:
            told(folder, mutant, ("unviable", ""))
        passing = sound(tests, names)
        trials = [(mutant, [test for test in passing if comes_to(test, mutant)]) for mutant in together]
        trials.sort(key=lambda trial: sum(test.work for test in trial[1]))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda trial: told(folder, trial[0], outcome(*trial)), trials))
        for mutant in apart:
            told(folder, mutant, alone(tree, mutant, passing, chosen))
    finally:
        tree.restore()
    done = tried(folder)
    print(f"mutants drawn: {len(drawn)}")
    for word in OUTCOMES:
        print(f"{word}: {sum(done.get(m['name']) == word for m in drawn)}")


if __name__ == "__main__":
    main()
