"""The report of the guest, and its evaluation."""

import re
import sys

# The messages of the kernel about its own faults.
KERNEL_FAULT = re.compile(r"WARNING:|BUG:|Oops|Call Trace|general protection|cannot load ")


class Report:
    """The results of the checks on one machine."""

    def __init__(self, is_verbose: bool):
        self.is_verbose = is_verbose
        self.passed = 0
        self.failed: list[str] = []
        self._is_complete = False
        self._processor = 0.0

    def take(self, line: str, processor: float) -> None:
        """Processes a line of the guest (see guest/board/checks.py).

        - processor: the processor seconds that the machine has used so far.
        """
        word, _, rest = line.partition(" ")
        match word:
            case "pass":
                self.passed += 1
                self._say(f"passed: {rest}")
            case "fail":
                self._fail(rest)
            case "note":
                print(f"    {rest}", file=sys.stderr, flush=True)
            case "draw":
                print(rest, flush=True)
            case "time":
                self._say(f"  in {rest} s of the board's time, {processor - self._processor:.2f} s of a processor's")
                self._processor = processor
            case "end":
                self._is_complete = True
            case _:
                # The errors of QEMU are on the same port.
                print(f"virtual board: {line}", file=sys.stderr, flush=True)

    def finish(self, status: int | None, console: str, limit: float) -> None:
        """Ends the report when the machine is off.

        - status: that of QEMU. None after the limit.
        """
        tail = "\n".join(console.splitlines()[-30:])
        if status is None:
            self._fail(f"the checks end within {limit:.0f} s")
        elif not self._is_complete:
            self._fail(f"the guest runs all checks (QEMU ended with {status})")
        if KERNEL_FAULT.search(console):
            self._fail("the kernel has nothing to complain of")
        if self.is_verbose or not self._is_complete or KERNEL_FAULT.search(console):
            print(f"the end of the console:\n{tail}", file=sys.stderr)

    def _fail(self, rule: str) -> None:
        self.failed.append(rule)
        print(f"virtual board: FAILED: {rule}", file=sys.stderr, flush=True)

    def _say(self, text: str) -> None:
        if self.is_verbose:
            print(f"virtual board: {text}", file=sys.stderr, flush=True)


def verdict(reports: list[Report]) -> int:
    """Prints the result. Returns the exit status."""
    passed = sum(report.passed for report in reports)
    failed = [rule for report in reports for rule in report.failed]
    if failed:
        print(f"virtual board: {len(failed)} checks FAILED, {passed} passed")
        for rule in failed:
            print(f"  FAILED: {rule}")
        return 1
    if passed == 0:
        print("virtual board: FAILED: there was no check to run")
        return 1
    print(f"virtual board: {passed} checks passed")
    return 0
