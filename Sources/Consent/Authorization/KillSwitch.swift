import Clocks
import LineProtocol

// Holds of the button, the kill switch (D2), and the locked state (D4).
extension Authorization {
  /// Handles a hold of a button. (D2)
  ///
  /// If the gateway is not locked, and the button answers no prompt, the hold activates the kill switch.
  ///
  /// If the button answers a prompt, the hold answers this prompt with *no*, and the gateway closes all other prompts.
  /// In three cases the hold also activates the kill switch: an app has a grant or updates, the button began to answer
  /// the prompt only after the hold had begun, or the hold lasts twice the hold time.
  ///
  /// If the gateway is locked, the hold unlocks it. But a hold that began before the lock has no effect. The user meant
  /// this hold to lock the gateway: the user held two buttons, or an owner locked the gateway at the same time.
  mutating func handleHold(_ hold: Hold, at now: MonotonicInstant, into effects: inout [Effect]) {
    let answered = answeringHold
    answeringHold = nil
    if hold.multiple > 1 {
      if answered?.button == hold.button, answered?.down == hold.down { lock(at: now, into: &effects) }
    } else if isLocked {
      if lockThrown.map({ hold.down >= $0 }) ?? true { unlock(at: now, into: &effects) }
    } else if let turn, let prompt, isButton(hold.button, for: prompt) {
      let isInFlight = !grants.isEmpty || !updates.isEmpty
      closePrompts(at: now, into: &effects) { $0 != prompt }
      answer(prompt, Answer(.no, showsText: false), by: nil, isHold: true, at: now, into: &effects)
      if isInFlight || hold.down < turn.since { lock(at: now, into: &effects) } else { answeringHold = hold }
    } else {
      lock(at: now, into: &effects)
    }
  }

  /// Locks the gateway: ends every grant, request and update, and erases undelivered fixes. The gateway discloses no
  /// location until a hold unlocks it. (D2)
  mutating func lock(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard !isLocked else { return }
    isLocked = true
    lockThrown = now
    effects.append(.eraseUndelivered(nil))
    // The lock is durable before it is announced, so that it survives a power loss after the announcement.
    effects.append(.saveLock(true))
    for prompt in prompts { close(prompt, .locked, byPress: false, at: now, into: &effects) }
    for app in asks.keys.sorted() { announce(app, into: &effects) }
    asks = [:]
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

  /// Ends the use of a session, and its rights from the answers *allow once* and *precise once*. After an unlock, the
  /// app counts as in use only when the user does something for the app again.
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
    lastUnlock = now
    effects.append(.saveLock(false))
    effects.append(.announceLock(false))
  }
}
