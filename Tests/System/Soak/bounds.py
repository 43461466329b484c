"""The limits in the contract, and the tolerance of the oracle, in seconds."""

# An app must have had the mark for 1 s when the button goes down. A grant is valid for 60 s from the release. A one-time
# fix is at most 2 s older than the press. The light is on for at least 500 ms.
ARMED, GRANT, AGE, LIT = 1, 60, 2, 0.5
# The gateway chooses the fix of a client that polls within 2 s after the press, and keeps it for 10 s.
CHOSEN, KEPT = 2, 10
# The longest time for which a request waits for a press.
WAITING = 3600
# For this time after a fix by a press, a press serves no app.
REST = 2
# The maximum age of a fix that waited for its output, and the transports of outputs.
OUTBOX = 86_400
OUTPUTS = ("mqtt", "file", "http")
# The tolerance of the oracle: clocks are read one after the other, and the screen is drawn after the light goes on.
SLACK = 0.1
DRAWN = 0.6
# The longest time between two epochs for which the receiver moves almost straight.
LONGEST_GAP = 2.5
# The minimum length of a slot of the places. The first slot of a boot can have twice this length, and each slot can be a
# minute longer.
SLOT, LONGEST_SLOT = 900, 1860
# The delay of an epoch that still counts as read in time. The gateway corrects longer delays (reference: late reads).
LATE = 0.5
# The time in which a new side of a border certainly counts, if the fixes agree.
DWELL = 12
# The number of epochs after which chrony must have received a sample.
TIMED = 60
# The maximum time of a reply to PING.
LIVENESS = 5
# The validity of a link to the owners' page, and the maximum number of sessions.
LINK, SESSIONS = 120, 4
