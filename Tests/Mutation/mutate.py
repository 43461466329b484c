"""Measures which changes of the source code the tests notice: Scripts/mutate.

The script copies the tree, inserts all drawn mutants at once and builds one test program. MutantSwitch then selects one
mutant for each run of this program. So a mutant costs a run of the tests, and not a build.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
# The copy stays for the next run, which then builds only what changed.
COPY = CACHE / "onefix-mutants"
PROGRAM = COPY / ".build/debug/onefixPackageTests.xctest"


def end_to_end(*names):
    return [f"EndToEndTests.{name}Tests" for name in names]


# The suites that a target has besides the suites with its name.
SUITES = {
    "Cloaking": ["GatewayPartTests"],
    "Decoding": ["NMEATests", "UBXTests", "ReceiverStreamTests"],
    "Disclosure": ["GatewayTests"],
    "Display": end_to_end("Display"),
    "Features": [
        *("FeatureTests", "MQTTBridgeTests", "MachineChecksTests", "OwnerPageTests"),
        *end_to_end("BrokerFault", "Check", "FileOutput", "GPSDEmulator", "HomeAssistant", "MQTT", "MQTTOutbox"),
        *end_to_end("MQTTVersion", "Network", "NMEA", "Page", "Time", "Tracker", "WebServer"),
    ],
    "Gateway": end_to_end("Metrics", "Prompt", "Reload", "Request", "Share", "Shutdown", "StandingUse"),
    "LinuxHardware": end_to_end("OptionalPart", "Receiver", "ReceiverSettings", "Serial"),
    "OneFixClient": end_to_end("Client", "Conformance", "SerialClient"),
    "OperatingSystem": end_to_end("Permission"),
    "OwnerClients": end_to_end("Console"),
    "Ports": ["LinuxHardwareTests", *end_to_end("Serial", "SerialClient")],
    "Serving": [
        "GatewayTests",
        *end_to_end("Delivery", "HostileClient", "Identity", "LineProtocol", "Network", "Serial", "Share", "TLS"),
    ],
    "SimulatedHardware": end_to_end("Panel", "Receiver"),
    "StateStore": ["StoreDurabilityTests"],
    "TLS": end_to_end("TLS"),
    "onefix": ["OneFixCommandTests", *end_to_end("Check", "Console", "Decode", "Log", "OwnerVerb", "Request", "Top")],
    "onefixd": [
        "OneFixDaemonTests",
        *end_to_end("BadStart", "Check", "Console", "ConsoleRefusal", "Log", "Metrics", "OptionalPart", "Panel", "Reload"),
        *end_to_end("Service", "Shutdown", "StateStorage"),
    ],
}
# The symbol may be followed by the end of its colour.
FAILURE = re.compile(r"✘\S* Test (.*?) (recorded an issue|failed after|with .* recorded an issue)")
PASSED = re.compile(r"✔\S* Test (?!run with )(.*?)(?:\(.*?\))?(?: with \d+ test cases?)? passed after ([\d.]+) seconds")
# Most mutants are caught by a test of milliseconds. Only the others need the tests that take longer than this.
SLOW_TEST = 1.0  # seconds
# The exit status of a run that found no test (EX_UNAVAILABLE).
NO_TEST = 69
ERROR = re.compile(r"^(/.*?):(\d+):(\d+): error: ", re.MULTILINE)


# The builds and runs of the test program.
RUNNING = set()


def stop(*_):
    """Ends the builds and runs before the script ends because of a signal."""
    for process in RUNNING.copy():
        kill(process)
    os._exit(130)


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def start(command, environment={}):
    process = subprocess.Popen(
        command,
        cwd=COPY,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    RUNNING.add(process)
    return process


def write(path, data):
    """Writes a file only if its content changes, so that the build stays incremental."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Tree:
    """The copy of the tree."""

    def __init__(self):
        names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0")
        self.files = {name for name in names if name and (ROOT / name).is_file()}
        for old in COPY.rglob("*"):
            name = str(old.relative_to(COPY))
            if old.is_file() and not name.startswith(".build/") and name not in self.files:
                old.unlink()
        for name in self.files - {"Package.swift"}:
            write(COPY / name, (ROOT / name).read_bytes())
            shutil.copymode(ROOT / name, COPY / name)
        manifest = json.loads(run("swift", "package", "dump-package", cwd=ROOT))
        self.targets = {target["name"]: target for target in manifest["targets"]}

    def sources(self, target):
        folder = f"{self.targets[target]['path']}/"
        names = (name for name in self.files if name.startswith(folder) and name.endswith(".swift"))
        # The examples of a documentation catalogue are no part of the target.
        return sorted(name for name in names if ".docc/" not in name)

    def suites(self, target):
        """The suites of a target: those with its name and those of the table, and then all others that import it."""
        suites = [name for name, suite in self.targets.items() if suite["type"] == "test" and name != "EndToEndTests"]
        own = [name for name in suites if name.startswith((target, target.removesuffix("s")))] + SUITES.get(target, [])
        return own, [name for name in suites if target in self.dependencies(name) and name not in own]

    def dependencies(self, name):
        return [next(iter(entry.values()))[0] for entry in self.targets[name]["dependencies"]]

    def write_manifest(self, targets, suites):
        """Adds the switch, and leaves out the other tests. A mutant may cause a warning, for example about its result."""
        modules = sorted({name.split(".")[0] for name in suites})
        text = (ROOT / "Package.swift").read_text().replace(".treatAllWarnings(as: .error),", "")
        text += f"""
            package.targets.append(.target(name: "MutantSwitch", path: "Tests/Mutation/Switch"))
            for target in package.targets where {json.dumps(targets)}.contains(target.name) {{
              target.dependencies.append("MutantSwitch")
              target.swiftSettings?.append(.unsafeFlags(["-suppress-warnings"]))
            }}
            package.targets.removeAll {{ $0.type == .test && !{json.dumps(modules)}.contains($0.name) }}
            """
        write(COPY / "Package.swift", text.encode())


class Mutants:
    """The drawn mutants, without those that do not compile."""

    def __init__(self, tree, targets, places, count, seed):
        self.sources = {name: (target, (ROOT / name).read_bytes()) for target in targets for name in tree.sources(target)}
        parts = [place.partition(":") for place in places or [""]]
        self.drawn, self.rest = [], {}
        mutations = json.loads(run(self.build_finder(), *self.sources, cwd=ROOT))
        for target in targets:
            found = [
                mutation | {"target": target}
                for mutation in mutations
                if self.sources[mutation["file"]][0] == target
                and any(name in mutation["file"] and line in ("", str(mutation["line"])) for name, _, line in parts)
            ]
            # The mutants of a target do not depend on the other targets.
            random.Random(f"{seed} {target}").shuffle(found)
            self.rest[target] = found
        if not any(self.rest.values()):
            place = " ".join(places or ["these targets"])
            sys.exit(f"mutate: no mutant is possible at {place} (targets: {' '.join(targets)})")
        self.count, self.ranges = count, {}

    @staticmethod
    def build_finder():
        build = ("swift", "build", "--quiet", "--package-path", "Tests/Mutation")
        run(*build, cwd=ROOT)
        return ROOT / run(*build, "--show-bin-path", cwd=ROOT).strip() / "mutations"

    def insert(self):
        """Writes the files with all mutants, and stores the place of each mutant in them."""
        self.ranges = {}
        for name, (_, source) in self.sources.items():
            edits = []
            for mutation in self.drawn:
                if mutation.get("file") == name:
                    edits += [(edit, mutation["number"]) for edit in mutation["edits"]]
            edits.sort(key=self.order)
            output, end, ranges = b"", 0, {}
            for edit, number in edits:
                output += source[end : edit["offset"]]
                start = len(output)
                output += edit["text"].replace("#", str(number), 1).encode()
                end = edit["offset"] + edit["length"]
                ranges.setdefault(number, [start, 0])[1] = len(output)
            # An edit adds no line, so the compiler's lines are those of the original file.
            output += source[end:] + (b"\npublic import MutantSwitch\n" if edits else b"")
            write(COPY / name, output)
            self.ranges[str(COPY / name)] = (output, ranges)

    @staticmethod
    def order(entry):
        """The order of edits. At one offset, an inner expression ends first and an outer expression begins first."""
        edit, number = entry
        if edit["role"] == "close":
            return edit["offset"], 0, edit["extent"], -number
        return edit["offset"], 1 if edit["role"] == "open" else 2, -edit["extent"], number

    def drop_failing(self, errors):
        """Drops each innermost mutant with an error of the compiler. Returns whether it found one."""
        failing, unclear = set(), set()
        for path, line, column in errors:
            if path not in self.ranges:
                continue
            output, ranges = self.ranges[path]
            start = sum(len(text) + 1 for text in output.split(b"\n")[: int(line) - 1])
            place = start + int(column) - 1
            around = [(last - first, number) for number, (first, last) in ranges.items() if first <= place <= last]
            stop = output.find(b"\n", place)
            nearby = [(0, number) for number, (first, last) in ranges.items() if first <= stop and start <= last]
            if around:
                failing.add(min(around)[1])
            else:
                # An error can be far from its cause, for example in the caller of a closure.
                failing.update(number for _, number in nearby)
                if not nearby and ranges:
                    unclear.add(min(ranges, key=lambda number: min(abs(end - place) for end in ranges[number])))
        # An error in a line without a mutant can be a consequence of the other errors.
        failing = failing or unclear
        for number in failing:
            self.drawn[number - 1]["edits"] = []
        return bool(failing)

    def compiling(self, target):
        """Returns the mutants that compile, as far as known, at most the wanted number."""
        found = [mutation for mutation in self.drawn if mutation["target"] == target and mutation["edits"]]
        return found[: self.count]

    def draw(self):
        """Draws more mutants if a target has too few. Half of them more than necessary, because some do not compile."""
        for target, rest in self.rest.items():
            missing = self.count - len(self.compiling(target))
            for mutation in rest[: missing * 3 // 2]:
                self.drawn.append(mutation | {"number": len(self.drawn) + 1})
            self.rest[target] = rest[missing * 3 // 2 :]

    def build(self):
        """Builds the test program. Returns the mutants that compile."""
        while True:
            self.draw()
            self.insert()
            print(f"mutate: building {sum(bool(mutation['edits']) for mutation in self.drawn)} mutants", file=sys.stderr)
            process = start(["swift", "build", "--quiet", "--build-tests"])
            output = process.communicate()[0]
            RUNNING.discard(process)
            if process.returncode == 0:
                return [mutation for target in self.rest for mutation in self.compiling(target)]
            if not self.drop_failing(set(ERROR.findall(output))):
                errors = [line for line in output.splitlines() if "error:" in line]
                sys.exit("\n".join([f"mutate: cannot build the copy in {COPY}:", *sorted(set(errors))]))


def trial(options, environment, limit, passed=None):
    """Runs tests until the first failure. Returns the failure, or None, and the seconds.

    `passed` receives the seconds of each test that passes.
    """
    command = [PROGRAM, "--testing-library", "swift-testing", *options]
    begin, is_late = time.monotonic(), False
    # A crash catches a mutant, and its backtrace would take seconds.
    process = start(command, {"SWIFT_BACKTRACE": "enable=no"} | environment)

    def end():
        nonlocal is_late
        is_late = True
        kill(process)

    timer = threading.Timer(limit, end)
    timer.start()
    failure = None
    for line in process.stdout:
        if match := FAILURE.search(line):
            failure = match[1]
            kill(process)
            break
        if passed is not None and (match := PASSED.search(line)):
            passed[match[1].strip('"')] = float(match[2])
    status = process.wait()
    # A test may have started programs.
    kill(process)
    timer.cancel()
    RUNNING.discard(process)
    if status == NO_TEST:
        raise ValueError(f"no test matches {options}")
    if not failure and is_late:
        failure = f"the limit of {limit:.0f} s"
    elif not failure and status:
        failure = f"the exit status {status}"
    return failure, time.monotonic() - begin


def all_names(suites):
    """Returns the names of all suites of all targets."""
    return {name for both in suites.values() for part in both for name in part}


class Trials:
    """The runs of the suites."""

    def __init__(self, suites, count):
        self.suites = suites
        # For each suite: the mutants that it reaches, and the seconds of each test.
        self.reached, self.seconds = {}, {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for failure in pool.map(lambda name: self.measure_again(name, count), sorted(all_names(suites))):
                if failure:
                    pool.shutdown(cancel_futures=True)
                    sys.exit(f"mutate: {failure}")
        if not any(self.reached.values()):
            sys.exit(f"mutate: no test reaches a mutant; remove {COPY} if its build is not complete")

    def measure_again(self, name, count):
        """Measures a suite, and repeats a run that fails: a test may fail once because two suites share the machine."""
        return self.measure(name, count) and self.measure(name, count)

    def measure(self, name, count):
        """Runs a suite without a mutant. Returns the failure, or None."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(count + 1))
            file.flush()
            options = ["--no-parallel", "--filter", self.pattern([name])]
            self.seconds[name] = {}
            failure, seconds = trial(options, {"ONEFIX_REACHED": file.name}, 1200, self.seconds[name])
            if failure:
                return f"{name} fails without a mutant: {failure}"
            print(f"mutate: {name} takes {seconds:.0f} s", file=sys.stderr, flush=True)
            file.seek(0)
            self.reached[name] = {number for number, byte in enumerate(file.read()) if byte}
        return None

    def test(self, mutation):
        """Returns what caught the mutant, or None, and whether a test reached it."""
        number = mutation["number"]
        is_reached = False
        for suites in self.suites[mutation["target"]]:
            if names := [name for name in suites if number in self.reached[name]]:
                is_reached = True
                if failure := self.run(names, number):
                    return failure, True
        return None, is_reached

    def run(self, names, number):
        """Runs suites with a mutant. Returns the failure, or None."""
        seconds = {test: time for name in names for test, time in self.seconds[name].items()}
        slow = [test for test in seconds if seconds[test] > SLOW_TEST]
        fast = seconds.keys() - set(slow)
        pattern = "|".join(map(re.escape, slow))
        # A run without a test would end with an error.
        runs = []
        if fast:
            runs.append((["--filter", self.pattern(names), *(["--skip", pattern] if slow else [])], fast))
        if slow:
            runs.append((["--filter", f"{self.pattern(names)}.*({pattern})"], slow))
        for options, tests in runs:
            # A busy machine is slower, and two runs share its cores.
            limit = 30 + 3 * sum(seconds[test] for test in tests)
            if failure := trial(options, {"ONEFIX_MUTANT": str(number)}, limit)[0]:
                return failure
        return None

    @staticmethod
    def pattern(suites):
        return f"^({'|'.join(suites)})[./]"


def main():
    parser = argparse.ArgumentParser(prog="Scripts/mutate")
    parser.add_argument("--target", action="append")
    parser.add_argument("--at", action="append")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    tree = Tree()
    written = [name for name in tree.targets if tree.targets[name]["path"].startswith("Sources/") and tree.sources(name)]
    known = [name for name in written if any(tree.suites(name))]
    targets = options.target or known
    for target in targets:
        if target not in known:
            sys.exit(f"mutate: there is no target with suites of the name {target} (use one of: {' '.join(known)})")
    suites = {target: tree.suites(target) for target in targets}
    tree.write_manifest(targets, all_names(suites))
    mutants = Mutants(tree, targets, options.at, options.count, options.seed)
    drawn = mutants.build()
    trials = Trials(suites, len(mutants.drawn))
    caught = dict.fromkeys(targets, 0)
    survivors = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = {pool.submit(trials.test, mutation): mutation for mutation in drawn}
        for result in concurrent.futures.as_completed(results):
            mutation = results[result]
            failure, is_reached = result.result()
            place = f"{mutation['file']}:{mutation['line']}: {mutation['kind']}: {mutation['source']}"
            if failure:
                caught[mutation["target"]] += 1
                print(f"caught: {place} (by {failure})", flush=True)
            else:
                survivors.append(f"survived{'' if is_reached else ', not reached'}: {place}")
                print(survivors[-1], flush=True)
    print(*sorted(survivors), sep="\n")
    for target in targets:
        count = sum(mutation["target"] == target for mutation in drawn)
        print(f"{target}: {caught[target]} of {count} mutants caught")


main()
