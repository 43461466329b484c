import Clocks

// D2 and D4: the kill switch.
extension Authorization {
  /// D2: a hold answers the prompt that its button answers with no, and empties the queue. It is the kill switch if
  /// something is in flight, if the button answered no prompt when the hold began, or if it goes on for as long again.
  /// Only a hold unlocks, and none that began before the lock: two buttons held at once, or a hold while an owner
  /// locks, were all meant to lock.
  mutating func take(_ hold: Hold, at now: MonotonicInstant, into effects: inout [Effect]) {
    let answered = answeringHold
    answeringHold = nil
    if hold.multiple > 1 {
      if answered?.button == hold.button, answered?.down == hold.down { lock(at: now, into: &effects) }
    } else if isLocked {
      if lockThrown.map({ hold.down >= $0 }) ?? true { unlock(at: now, into: &effects) }
    } else if let turn, let prompt, isButton(hold.button, of: prompt) {
      let isInFlight = !grants.isEmpty || !updates.isEmpty
      empty(at: now, into: &effects) { $0 != prompt }
      answer(prompt, Answer(.no, showsText: false), by: nil, isHold: true, at: now, into: &effects)
      if isInFlight || hold.down < turn.since { lock(at: now, into: &effects) } else { answeringHold = hold }
    } else {
      lock(at: now, into: &effects)
    }
  }

  /// D2: every grant, request and update ends, undelivered fixes are erased, nothing is given until a hold unlocks.
  mutating func lock(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard !isLocked else { return }
    isLocked = true
    lockThrown = now
    effects.append(.eraseUndelivered(nil))
    // Before anybody is told: after a power cut the gateway may not be less locked than it said.
    effects.append(.saveLock(true))
    for prompt in prompts { close(prompt, .locked, byPress: false, at: now, into: &effects) }
    for app in asks.keys.sorted() { announce(app, into: &effects) }
    asks = [:]
    heldRegions = []
    for grant in sortedGrants { end(grant, .locked, at: now, into: &effects) }
    for arm in sortedArms { disarm(arm, .locked, at: now, into: &effects) }
    for held in heldStarts { drop(held, .locked, at: now, into: &effects) }
    for session in sessions.keys.sorted() {
      endUpdates(of: session, .locked, into: &effects)
      endAllowances(of: session, at: now, into: &effects)
    }
    effects.append(.announceLock(true))
  }

  /// Whatever was in use is so no more; after the lock a person has to act anew.
  private mutating func endAllowances(
    of session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if let app = sessions[session]?.app,
      sessions[session]?.allowedOnce != nil || sessions[session]?.isPreciseOnce == true
    {
      announce(app, into: &effects)
    }
    sessions[session]?.allowedOnce = nil
    sessions[session]?.isPreciseOnce = false
    sessions[session]?.use = nil
    sessions[session]?.settleGrace(at: now)
  }

  private mutating func unlock(at now: MonotonicInstant, into effects: inout [Effect]) {
    isLocked = false
    lockThrown = nil
    unlocked = now
    effects.append(.saveLock(false))
    effects.append(.announceLock(false))
  }
}
