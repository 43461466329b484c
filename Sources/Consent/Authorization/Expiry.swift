package import Base

extension Authorization {
  /// The next instant at which `handle` must be called with the event `timePassed`; nil if there is no such instant.
  package var nextDeadline: MonotonicInstant? {
    var deadline = nextExpiry
    for other in [legibilityDue, nextTurnDue] {
      if let other { deadline = min(deadline ?? other, other) }
    }
    return deadline
  }

  /// The next instant at which a prompt, a request, a session or another value expires; nil if no value expires.
  private var nextExpiry: MonotonicInstant? {
    var end = turnDue
    func include(_ other: MonotonicInstant?) { if let other { end = min(end ?? other, other) } }
    for open in openPrompts { include(open.due) }
    for deferred in deferredStarts { include(deferred.deadline) }
    for other in [
      asks.nextDue, arms.nextDue, nextPauseEnd, grants.nextDue, updates.nextDue, sessions.nextDue, nextTimeLimit,
    ] {
      include(other)
    }
    return end
  }

  /// Ends all prompts, requests, sessions and other values that have expired at an instant. The values end in the order
  /// of expiry, because one end can change the deadline of another value.
  mutating func expire(at instant: MonotonicInstant, into effects: inout [Effect]) {
    while let due = nextExpiry, due <= instant {
      endTimeLimits(at: due, into: &effects)
      for id in prompts.map(\.id) {
        guard let open = openPrompts.first(where: { $0.prompt.id == id }), open.due == due else { continue }
        if let press = open.firstPress {
          // No second press followed in time, so the first press alone answers the prompt.
          let answer = Answer(open.prompt.kind.choiceByPress, showsText: true)
          self.answer(open.prompt, answer, by: press, at: due, into: &effects)
        } else {
          leaveUnanswered(open, at: due, into: &effects)
        }
      }
      if turnDue == due { finishTurn(at: due, into: &effects) }
      for ask in asks.keys(dueAt: due).compactMap({ asks[$0] }).sorted(by: { $0.request < $1.request }) {
        end(ask, .noPress, into: &effects)
      }
      for arm in arms.keys(dueAt: due).sorted().compactMap({ arms[$0] }) {
        disarm(arm, .noPress, at: due, into: &effects)
      }
      for grant in grants.keys(dueAt: due).sorted().compactMap({ grants[$0] }) {
        end(grant, .expired, at: due, into: &effects)
      }
      for deferred in deferredStarts where deferred.deadline == due { end(deferred, .expired, at: due, into: &effects) }
      for running in updates.keys(dueAt: due).sorted().compactMap({ updates[$0] }) {
        if running.firstFixDue == due {
          endUpdates(of: running.session, .expired, into: &effects)
        } else if running.latestEnd == due {
          endForLackOfUse(running, at: due, into: &effects)
        }
      }
      for session in sessions.keys(dueAt: due).sorted() {
        if sessions[session]?.graceEnd == due {
          if sessions[session]?.isAway == true {
            end(session, at: due, into: &effects)
            effects.append(.endSession(session))
          } else {
            endUse(of: session, at: due, into: &effects)
          }
        } else if sessions[session]?.useEnd == due {
          endUse(of: session, at: due, into: &effects)
        }
      }
      moveMarks(at: due)
    }
  }
}
