package import Clocks

extension Authorization {
  /// When `timePassed` has something to do.
  package var nextDeadline: MonotonicInstant? {
    var deadline = nextEnd
    for other in [legibilityDue, nextTurnDue] {
      if let other { deadline = min(deadline ?? other, other) }
    }
    return deadline
  }

  /// When something ends by itself.
  private var nextEnd: MonotonicInstant? {
    var end = turnDue
    func take(_ other: MonotonicInstant?) { if let other { end = min(end ?? other, other) } }
    for open in openPrompts { take(open.due) }
    for ask in asks.values { take(ask.deadline) }
    for arm in arms.values { take(arm.deadline) }
    for grant in grants.values { take(grant.expires) }
    for held in heldStarts { take(held.deadline) }
    for running in updates.values {
      take(running.firstFixDue)
      take(running.latestEnd)
    }
    for session in sessions.values {
      take(session.graceEnd)
      take(session.useEnd)
    }
    return end
  }

  /// Ends whatever has reached its time, one after the other: what ends first may end another thing with it.
  mutating func expire(at instant: MonotonicInstant, into effects: inout [Effect]) {
    while let due = nextEnd, due <= instant {
      for id in prompts.map(\.id) {
        guard let open = openPrompts.first(where: { $0.prompt.id == id }), open.due == due else { continue }
        if let press = open.firstPress {
          // No second press came.
          let answer = Answer(open.prompt.kind.choiceByPress, showsText: true)
          self.answer(open.prompt, answer, by: press, at: due, into: &effects)
        } else {
          leaveUnanswered(open, at: due, into: &effects)
        }
      }
      if turnDue == due { finishTurn(at: due) }
      for ask in asks.values.sorted(by: { $0.request < $1.request }) where ask.deadline == due {
        end(ask, .noPress, into: &effects)
      }
      for arm in sortedArms where arm.deadline == due { disarm(arm, .noPress, at: due, into: &effects) }
      for grant in sortedGrants where grant.expires == due { end(grant, .expired, at: due, into: &effects) }
      for held in heldStarts where held.deadline == due { drop(held, .expired, at: due, into: &effects) }
      for running in updates.values.sorted(by: { $0.session < $1.session }) {
        if running.firstFixDue == due {
          endUpdates(of: running.session, .expired, into: &effects)
        } else if running.latestEnd == due {
          leaveUse(running, at: due, into: &effects)
        }
      }
      for session in sessions.keys.sorted() {
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
    }
  }
}
