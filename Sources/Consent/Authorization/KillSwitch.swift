import Base
import LineProtocol

// Holds of the button, the kill switch (row D2), and the locked state (row D4).
extension Authorization {
  /// Handles a hold of a button, a press of some seconds (authorization reference, row D2).
  ///
  /// If the button answers no prompt (a question to the user), the hold locks the gateway. Otherwise the hold gives the
  /// answer *no* and closes all other prompts. In three cases, this hold also locks the gateway:
  /// - An app has a grant (the permission for one fix) or continuous updates.
  /// - The hold began before the button could answer the prompt.
  /// - The hold lasts twice the hold time.
  ///
  /// If the gateway is locked, the hold unlocks the gateway. A hold that began before the lock has no effect, because
  /// the user meant this hold to lock the gateway.
  mutating func handleHold(_ hold: Hold, at now: MonotonicInstant, into effects: inout [Effect]) {
    let answered = answeringHold
    answeringHold = nil
    if hold.multiple > 1 {
      if answered?.button == hold.button, answered?.down == hold.down { lock(at: now, into: &effects) }
    } else if isLocked {
      if lockThrown.map({ hold.down >= $0 }) ?? true { unlock(at: now, into: &effects) }
    } else if let since = turn?.since, let prompt, isButton(hold.button, for: prompt) {
      let isInFlight = !grants.isEmpty || !updates.isEmpty
      closePrompts(at: now, into: &effects) { $0 != prompt }
      answer(prompt, Answer(.no, showsText: false), by: nil, isHold: true, at: now, into: &effects)
      if isInFlight || hold.down < since { lock(at: now, into: &effects) } else { answeringHold = hold }
    } else {
      lock(at: now, into: &effects)
    }
  }

  /// Locks the gateway: ends every request, grant (the permission for one fix) and series of updates, and erases
  /// undelivered fixes. A later hold of the button unlocks the gateway (authorization reference, row D2).
  mutating func lock(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard !isLocked else { return }
    isLocked = true
    lockThrown = now
    // A change of the kill switch ends the indicated uses.
    useShownUntil = MonotonicInstant(nanoseconds: .min)
    effects.append(.eraseUndelivered(nil))
    // The lock is saved before it is announced, because an announced lock must survive a power loss.
    effects.append(.saveLock(true))
    for prompt in prompts { close(prompt, .locked, at: now, into: &effects) }
    for app in asks.keys.sorted() {
      asks[app] = nil
      announce(app, into: &effects)
    }
    deferredCrossings = []
    for grant in sortedGrants { end(grant, .locked, at: now, into: &effects) }
    for arm in sortedArms { disarm(arm, .locked, at: now, into: &effects) }
    for deferred in deferredStarts { end(deferred, .locked, at: now, into: &effects) }
    for session in sessions.keys.sorted() {
      endUpdates(of: session, .locked, into: &effects)
      endAllowances(of: session, at: now, into: &effects)
    }
    effects.append(.announceLock(true))
  }

  /// Ends the use of the app by the user in one session, and the permissions that belong only to this session.
  private mutating func endAllowances(
    of session: SessionID, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    endRightsForOneUse(of: session, into: &effects)
    sessions[session]?.endUse(at: now)
  }

  private mutating func unlock(at now: MonotonicInstant, into effects: inout [Effect]) {
    isLocked = false
    lockThrown = nil
    lastUnlock = now
    effects.append(.saveLock(false))
    effects.append(.announceLock(false))
  }
}
