#!/usr/bin/env python3
"""Prints all figures of Scripts/bench in one table, and draws them in a picture.

usage: report.py FIGURES SVG

FIGURES is the JSON of `Scripts/bench all`: the goals of the figures, by measurement. The table goes to standard
output. In the picture each figure is a point on a logarithmic scale that shows its ratio to the goal, with a second
point for the figure of another program, if there is one.
"""

import json
import math
import sys
from html import escape

ROW, HEAD, LEFT, WIDTH, RIGHT, MARGIN = 20, 96, 470, 380, 330, 16
# The edge of the scale is ten times the goal. Larger ratios are drawn at the edge.
EDGE = 10


def number(value):
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def times(of, value):
    """Returns the ratio of `value` to `of`."""
    return None if value is None or not of else value / of


def distance(goal, value):
    """Returns how many times worse the figure is than its goal: below 1 is better. None if one of both is 0, or if
    nothing was measured."""
    if not value or not goal["goal"] or value < 0 or goal["goal"] < 0:
        return None
    share = value / goal["goal"]
    return share if goal["how"] == "at-most" else 1 / share


def rows(figures):
    return [(name, goal) for name, measurement in figures.items() for goal in measurement["goals"]]


def told(goal):
    return f"{number(goal['value'])} {goal['unit']}".strip()


def aim(goal):
    return ("≤ " if goal["how"] == "at-most" else "≥ ") + number(goal["goal"])


def table(figures):
    lines = [("", "", "onefix", "beside", "", "ratio", "goal", "")]
    for name, goal in rows(figures):
        ratio = times(goal.get("theirs"), goal["value"])
        lines.append((name, goal["what"], told(goal), number(goal.get("theirs")) if "theirs" in goal else "",
                      goal.get("peer", ""), f"{ratio:.3g}" if ratio is not None else "",
                      aim(goal), "" if goal["is_met"] else "missed"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    left = {0, 1, 4, 7}
    for line in lines:
        yield "  ".join(text.ljust(width) if column in left else text.rjust(width)
                        for column, (text, width) in enumerate(zip(line, widths))).rstrip()


def head(figures):
    """Returns the title with the measured programs and the machine."""
    versions = {}
    for measurement in figures.values():
        versions |= measurement.get("versions", {})
    machine = next((measurement["machine"] for measurement in figures.values() if "machine" in measurement), "")
    return machine, ", ".join(f"{name} {version}" for name, version in versions.items())


def picture(figures):
    lines = rows(figures)
    height, width = HEAD + ROW * len(lines) + MARGIN, LEFT + WIDTH + RIGHT
    missed = sum(not goal["is_met"] for _, goal in lines)

    def across(share):
        bounded = min(max(share, 1 / EDGE), EDGE)
        return LEFT + WIDTH * (math.log(bounded) / math.log(EDGE) + 1) / 2

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           f'font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Figures of OneFix and their goals">')
    yield ("<style>svg{background:#fff;color:#1a1a1a}.met{fill:#0a7a3d}.missed{fill:#c62828}.peer{fill:#fff;stroke:#555;"
           "stroke-width:1.5}text{fill:currentColor}.line{stroke:#bbb}.goal{stroke:#555;stroke-dasharray:4 3}.note{opacity:.7}"
           "@media(prefers-color-scheme:dark){svg{background:#16181b;color:#e8e8e8}.met{fill:#4cc38a}.missed{fill:#ff8a80}"
           ".peer{fill:#16181b;stroke:#bbb}.line{stroke:#444}.goal{stroke:#aaa}}</style>")
    machine, versions = head(figures)
    yield (f'<text x="{MARGIN}" y="24" font-size="16" font-weight="600">{len(lines) - missed} of {len(lines)} goals are met'
           f'</text>')
    yield f'<text x="{MARGIN}" y="44" class="note">{escape(machine)}</text>'
    yield f'<text x="{MARGIN}" y="60" class="note">{escape(versions)}</text>'
    for share, label in ((1 / EDGE, f"{EDGE} times better"), (1, "goal"), (EDGE, f"{EDGE} times worse")):
        x = across(share)
        yield f'<text x="{x:.1f}" y="{HEAD - 10}" text-anchor="middle" class="note">{label}</text>'
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD - 4}" y2="{height - MARGIN}" class="{"goal" if share == 1 else "line"}"/>'
    before = None
    for index, (name, goal) in enumerate(lines):
        y = HEAD + ROW * index + ROW / 2
        if name != before:
            yield f'<line x1="{MARGIN}" x2="{width - MARGIN}" y1="{y - ROW / 2}" y2="{y - ROW / 2}" class="line"/>'
            yield f'<text x="{MARGIN}" y="{y + 4}" font-weight="600">{escape(name)}</text>'
            before = name
        yield f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(goal["what"])}</text>'
        theirs = distance(goal, goal.get("theirs"))
        if theirs is not None:
            yield f'<circle cx="{across(theirs):.1f}" cy="{y}" r="4" class="peer"/>'
        ours = distance(goal, goal["value"])
        kind = "met" if goal["is_met"] else "missed"
        # If the goal is zero and the figure is zero, the point is at the best end.
        x = across(ours if ours is not None else 1 / EDGE if goal["is_met"] else EDGE)
        # A different shape in addition to the colour.
        yield (f'<circle cx="{x:.1f}" cy="{y}" r="5" class="met"/>' if goal["is_met"] else
               f'<rect x="{x - 5:.1f}" y="{y - 5}" width="10" height="10" class="{kind}"/>')
        beside = f" · {goal['peer']} {number(goal['theirs'])}" if "theirs" in goal else ""
        yield (f'<text x="{LEFT + WIDTH + 16}" y="{y + 4}">{escape(told(goal))}<tspan class="note">'
               f'{escape(f" ({aim(goal)}{beside})")}</tspan></text>')
    yield "</svg>"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1]) as file:
        figures = json.load(file)
    machine, versions = head(figures)
    print(f"{machine}\n{versions}\n")
    print("\n".join(table(figures)))
    missed = [(name, goal) for name, goal in rows(figures) if not goal["is_met"]]
    print(f"\nshort of the goal: {len(missed)} of {len(rows(figures))}")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(picture(figures)) + "\n")


if __name__ == "__main__":
    main()
