"""Scenarios and the rules that they look at."""

import signal
import time
import traceback
from contextlib import contextmanager
from typing import Callable

# Seconds of the guest's time that a rule may take; they cost the host next to nothing while the guest waits.
LIMIT = 150


class Failure(Exception):
    """Why a rule does not hold."""


SCENARIOS: list[tuple[str, Callable[[], None]]] = []

# What is said beside a failure, by whoever knows something: each is called for its text.
WITNESSES: list[Callable[[], str]] = []


def scenario(title: str, *variants):
    """Makes a function a scenario. With variants, it is one for each of them, which the function is given."""

    def register(function):
        for variant in variants:
            SCENARIOS.append((f"{title} {variant}", lambda variant=variant: function(variant)))
        if not variants:
            SCENARIOS.append((title, function))
        return function

    return register


@contextmanager
def rule(what: str):
    """A check: the rule holds if its body ends. Else that is reported, and the scenario goes on."""
    began = time.monotonic()
    signal.alarm(LIMIT)
    try:
        yield
    except Exception as error:
        _say("fail", f"{_title}: {what}")
        _explain(error)
    else:
        _say("pass", f"{_title}: {what}")
    finally:
        signal.alarm(0)
        _say("time", f"{time.monotonic() - began:.3f}")


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
        time.sleep(0.1)
    return found


_title = ""


def run(only: str, part: int, parts: int) -> None:
    """Runs the scenarios whose title contains the given text, each `parts`th of them from `part` on, and reports on the
    standard output, line by line: `pass RULE`, `fail RULE` followed by lines `note …`, `time SECONDS`, and at last `end`."""
    global _title

    def ring(number, frame):
        raise Failure(f"it took more than {LIMIT} s of the board's time")

    signal.signal(signal.SIGALRM, ring)
    chosen = [(title, function) for title, function in SCENARIOS if only.lower() in title.lower()]
    for _title, function in chosen[part::parts]:
        try:
            function()
        except Exception as error:
            _say("fail", f"{_title}: the scenario runs to its end")
            _explain(error)
    _say("end", "")


def _explain(error: Exception) -> None:
    lines = [str(error)] if isinstance(error, Failure) else traceback.format_exception(error)
    lines += [*getattr(error, "__notes__", []), *(witness() for witness in WITNESSES)]
    for line in "\n".join(lines).splitlines():
        _say("note", line)


def _say(word: str, text: str) -> None:
    print(word, text, flush=True)
