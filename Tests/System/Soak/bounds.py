"""What the contract promises in figures, and how far off those are who look (seconds)."""

# An app has to have waited for 300 ms when the button goes down; a grant lives 60 s from the release; no one-time fix
# is older than 2 s before the press; the light is on for 500 ms at least.
ARMED, GRANT, AGE, LIT = 0.3, 60, 2, 0.5
# After a fix that a press asked for, a press is for nobody.
REST = 2
# A fix that waited for its broker.
OUTBOX = 86_400
# The oracle's own errors: clocks that are read one after another, and a screen that is drawn after the light went on.
SLACK = 0.1
DRAWN = 0.6
# A ping is answered within.
LIVENESS = 5
# A link opens the owners' page for so long, and so many sessions there are at a time.
LINK, SESSIONS = 120, 4
