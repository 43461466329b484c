"""A test of the oracle: one violation of each rule is inserted into a transcript, and the oracle must detect it."""

import collections

from intrusions import INTRUSIONS
from oracle import Oracle
from spoiler import Spoiler, Unfit
from spoils import SPOILS

# The part of a long run that contains every kind of record.
MOST = 40_000


def counted(records):
    return collections.Counter(violation["rule"] for violation in Oracle(records).judge().violations)


def prove(records):
    """Returns the tested violations, those that do not apply to the run, and those that the oracle did not detect."""
    records = records[:MOST]
    usual = counted(records)
    tried, unfit, blind = 0, [], []
    for spoil, rule in SPOILS + INTRUSIONS:
        spoiler = Spoiler(records)
        try:
            spoil(spoiler)
        except Unfit:
            unfit.append(rule)
            continue
        tried += 1
        if counted(spoiler.records)[rule] <= usual[rule]:
            blind.append(f"{spoil.__name__}: {rule}")
    return tried, unfit, blind
