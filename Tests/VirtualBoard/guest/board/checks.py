"""Checks: each is a function whose rule is said by its decorator, and it holds or it does not."""

import signal
import time
import traceback
from typing import Callable

# Seconds of the guest's time that a check may take; they cost the host next to nothing while the guest waits.
LIMIT = 120


class Failure(Exception):
    """Why a rule does not hold."""


class Skipped(Exception):
    """Why a rule cannot be looked at here."""


CHECKS: list[tuple[str, Callable[[], None]]] = []


def check(rule: str):
    """Makes a function the check of a rule."""

    def register(function: Callable[[], None]) -> Callable[[], None]:
        CHECKS.append((rule, function))
        return function

    return register


def expect(holds: bool, found: object) -> None:
    """Fails with what was found unless it holds."""
    if not holds:
        raise Failure(str(found))


def same(found: object, wanted: object) -> None:
    expect(found == wanted, f"{found!r} is not {wanted!r}")


def between(found: float, least: float, most: float, unit: str = "s") -> None:
    expect(least <= found <= most, f"{found:.6g} {unit} is not in {least:.6g}...{most:.6g} {unit}")


def eventually(what: str, probe: Callable[[], object], within: float = 20):
    """Waits until a probe gives something, and returns that."""
    deadline = time.monotonic() + within
    while not (found := probe()):
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not come within {within} s")
        time.sleep(0.01)
    return found


def run(report: Callable[[str], None], only: str = "") -> None:
    """Runs the checks whose rule contains the given text, in the order in which they were registered.

    Reports a line for each: `pass RULE`, `fail RULE` followed by lines `note …`, or `skip RULE: REASON`.
    """

    def ring(number, frame):
        raise Failure(f"it took more than {LIMIT} s of the guest's time")

    signal.signal(signal.SIGALRM, ring)
    for rule, function in CHECKS:
        if only.lower() not in rule.lower():
            continue
        began = time.monotonic()
        signal.alarm(LIMIT)
        try:
            function()
            report(f"pass {rule}")
        except Skipped as reason:
            report(f"skip {rule}: {reason}")
        except Exception as error:
            report(f"fail {rule}")
            lines = str(error).splitlines() if isinstance(error, Failure) else traceback.format_exc().splitlines()
            for line in [*lines, *(note for noted in getattr(error, "__notes__", []) for note in noted.splitlines())]:
                report(f"note {line}")
        finally:
            signal.alarm(0)
            report(f"time {time.monotonic() - began:.3f}")
