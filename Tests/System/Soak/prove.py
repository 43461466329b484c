"""Whether the oracle sees: a transcript is spoiled in each way that a rule is there for, and each has to be found."""

import collections

from intrusions import INTRUSIONS
from oracle import Oracle
from spoiler import Spoiler, Unfit
from spoils import SPOILS

# Enough of a long run to have everything once.
MOST = 40_000


def counted(records):
    return collections.Counter(violation["rule"] for violation in Oracle(records).judge().violations)


def prove(records):
    """What was tried, what the run had nothing for, and what the oracle did not see."""
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
