"""The resources of the daemon at rest, in the longest of its lives."""

import collections
import statistics

# The maximum growth from the first to the last third of a life (KiB, and numbers). Allocated memory includes data that
# is created on first use. Anonymous memory also includes the caches of the allocator. The runtime may start another
# thread.
MOST = {"allocated": 1024, "anonymous": 4096, "descriptors": 0, "threads": 1}
# The minimum number of samples, and the number of first samples that are ignored because the daemon creates some data
# on first use, for example the timer of an event loop.
ENOUGH, WARM = 15, 6


def slope(samples, key):
    """Returns the growth per hour by least squares. None if all samples have the same time."""
    middle, mean = (statistics.mean(sample[name] for sample in samples) for name in ("t", key))
    spread = sum((sample["t"] - middle) ** 2 for sample in samples)
    if not spread:
        return None
    return round(3600 * sum((sample["t"] - middle) * (sample[key] - mean) for sample in samples) / spread, 1)


def growth(evidence):
    """Returns the medians of the first and the last third, and the growth. None without samples."""
    lives = collections.defaultdict(list)
    for record in evidence.records:
        if record["kind"] == "sample":
            lives[record["life"]].append(record)
    samples = max(lives.values(), key=len, default=[])
    if not samples:
        return None
    # Only samples with the same number of sessions are comparable.
    usual = statistics.mode(sample["sessions"] for sample in samples)
    samples = [sample for sample in samples if sample["sessions"] == usual]
    is_judged = len(samples) >= ENOUGH
    if is_judged:
        samples = samples[WARM:]
    third = max(1, len(samples) // 3)
    first, last = samples[:third], samples[-third:]
    table = {"samples": len(samples), "seconds": round(samples[-1]["t"] - samples[0]["t"]), "grown": []}
    for key, most in MOST.items():
        if any(sample.get(key) is None for sample in samples):
            continue
        begin, end = (statistics.median(sample[key] for sample in part) for part in (first, last))
        table[key] = {"first": begin, "last": end, "per_hour": slope(samples, key)}
        if is_judged and end - begin > most:
            table["grown"].append(key)
            table["samples_of_" + key] = [first[0], last[-1]]
    return table
