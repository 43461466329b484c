"""The result of a run: a table, and all figures as JSON."""

import json


def report(oracle, proof, options):
    tried, unfit, blind = proof
    figures, violations = oracle.figures, oracle.violations
    faults = figures["faults"]
    print(f"seed {options.seed}, {options.seconds} s, "
          f"{len(oracle.evidence.lives)} lives of the daemon, {len(oracle.evidence.presses)} presses")
    print(f"\n{'fault':24}{'times':>8}{'survived':>10}")
    for name, fault in faults.items():
        print(f"{name:24}{fault['count']:8}{fault['survived']:10}")
    print(f"\n{'way':12}{'connections':>12}{'bad lines':>12}")
    for way, row in figures["connections"].items():
        print(f"{way:12}{row['connections']:12}{row['bad_lines']:12}")
    print(f"\n{'disclosures over':18}{'accuracy':>10}{'kind':>10}{'count':>8}")
    for row in figures["disclosures"]:
        print(f"{row['way']:18}{row['accuracy']:>10}{row['kind']:>10}{row['count']:8}")
    print(f"\n{figures['served_by_press']} fixes by a press, {figures['log_entries']} entries in the log, "
          f"inside of hacc {figures['inside_hacc']}, longest answer {figures['longest_ping_ms']} ms, "
          f"shortest light {figures.get('shortest_light_s')} s")
    requests, notices = figures["page_requests"], figures["notices"]
    print(f"{figures['network_sessions']} sessions over a network; {figures['page_sessions']} of the owners' page, "
          f"which served {requests['served']} requests, refused {requests['refused']}, and showed "
          f"{figures['page_log_rows']} entries of the log; owners were told of {sum(notices.values())} crossings")
    if oracle.evidence.setup.get("clock"):
        print(f"chrony received {figures['time_samples']} samples of the time")
    growth = figures.get("growth")
    if growth:
        print(f"\nat rest, {growth['samples']} samples in {growth['seconds']} s of one life:")
        for key, unit in (("allocated", "KiB"), ("anonymous", "KiB"), ("descriptors", ""), ("threads", "")):
            part = growth.get(key)
            if not part:
                continue
            print(f"  {key:12} {part['first']:g} to {part['last']:g} {unit}  ({part['per_hour']} an hour)")
    print(f"\nviolations: {len(violations)}")
    for violation in violations[:20]:
        print(f"  {violation['rule']}: {violation['what']}")
        for record in violation["records"][:6]:
            print(f"    {json.dumps(record)[:300]}")
    print(f"the oracle was tried with {tried} transcripts that were spoiled, and found {tried - len(blind)}"
          + (f"; the run had nothing to spoil for: {', '.join(unfit)}" if unfit else ""))
    for name in blind:
        print(f"  the oracle does not see: {name}")
    return {"seed": options.seed, "seconds": options.seconds, **figures, "violations": violations, "tried": tried,
            "untried": unfit, "blind": blind}
