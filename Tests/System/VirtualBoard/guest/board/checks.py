"""Scenarios, and the rules that they check."""

import signal
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from typing import Callable

# The maximum seconds of a rule in the guest's time. Waiting in the guest takes almost no time of the host.
LIMIT = 150


class Failure(Exception):
    """The reason why a rule does not hold."""


SCENARIOS: list[tuple[str, Callable[[], None]]] = []

# Functions that return text to print with a failure.
WITNESSES: list[Callable[[], str]] = []


def scenario(title: str, *variants):
    """Makes a function a scenario. With variants, it is one scenario for each variant, which is the argument of the
    function."""

    def register(function):
        for variant in variants:
            SCENARIOS.append((f"{title} {variant}", lambda variant=variant: function(variant)))
        if not variants:
            SCENARIOS.append((title, function))
        return function

    return register


@contextmanager
def rule(what: str):
    """A check: the rule holds if its body ends. Otherwise the failure is reported, and the scenario continues."""
    began = time.monotonic()
    signal.alarm(LIMIT)
    try:
        yield
    except Exception as error:
        say("fail", f"{_title}: {what}")
        _explain(error)
    else:
        say("pass", f"{_title}: {what}")
    finally:
        signal.alarm(0)
        say("time", f"{time.monotonic() - began:.3f}")


def expect(holds: bool, found: object) -> None:
    """Fails with the found value unless the condition holds."""
    if not holds:
        raise Failure(str(found))


def same(found: object, wanted: object) -> None:
    expect(found == wanted, f"{found!r} is not {wanted!r}")


def between(found: float, least: float, most: float, unit: str = "s") -> None:
    expect(least <= found <= most, f"{found:.6g} {unit} is not in {least:.6g}...{most:.6g} {unit}")


def eventually(what: str, probe: Callable[[], object], within: float = 20):
    """Waits until a probe returns a true value, and returns this value."""
    deadline = time.monotonic() + within
    while not (found := probe()):
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not come within {within} s")
        time.sleep(0.1)
    return found


_title = ""


def run(only: str, part: int, parts: int) -> None:
    """Runs the scenarios whose title contains the given text, each `parts`th of them from `part` on. Reports on the
    standard output, line by line: `pass RULE`, `fail RULE` followed by lines `note …`, `draw …` for each row of a drawn
    picture, `time SECONDS`, and finally `end`."""
    global _title

    def ring(number, frame):
        raise Failure(f"it took more than {LIMIT} s of the board's time")

    signal.signal(signal.SIGALRM, ring)
    chosen = [(title, function) for title, function in SCENARIOS if only.lower() in title.lower()]
    for _title, function in chosen[part::parts]:
        try:
            function()
        except Exception as error:
            say("fail", f"{_title}: the scenario runs to its end")
            _explain(error)
    say("end", "")


def _explain(error: Exception) -> None:
    lines = [str(error)] if isinstance(error, Failure) else traceback.format_exception(error)
    lines += [*getattr(error, "__notes__", []), *(witness() for witness in WITNESSES)]
    for line in "\n".join(lines).splitlines():
        say("note", line)


_voice = threading.Lock()


def say(word: str, text: str) -> None:
    """Reports a line. The display is drawn by a thread of its own."""
    with _voice:
        sys.stdout.write(f"{word} {text}\n")
        sys.stdout.flush()
