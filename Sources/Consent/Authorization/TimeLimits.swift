package import Base
package import LineProtocol

// Authorizations for a time. (row D6)
extension Authorization {
  /// Returns the end of a new temporary authorization, and the status that applies afterwards. After several temporary
  /// authorizations in a row, the status before the first one applies. The result is nil if the new status permits no
  /// more than the status afterwards.
  package func timeLimit(
    of app: AppID, _ status: AuthorizationStatus, lasting duration: Duration, at now: MonotonicInstant
  ) -> TimeLimit? {
    let record = record(of: app)
    let formerStatus = record.timeLimit?.formerStatus ?? record.status
    guard formerStatus.rank < status.rank else { return nil }
    return TimeLimit(
      end: BootInstant(nanoseconds: (now + suspended).nanoseconds) + min(duration, Bounds.longestTimeLimit),
      formerStatus: formerStatus, wasProvisional: record.timeLimit?.wasProvisional ?? record.isProvisional)
  }

  /// Returns the end of the present temporary authorization of an app; nil if the authorization has no end.
  package func timeLimit(of app: AppID) -> TimeLimit? {
    status(of: app) == .restricted ? nil : records[app]?.timeLimit
  }

  package var limitedRecords: [AppRecord] { timeLimits.keys.sorted().compactMap { records[$0] } }

  package var nextTimeLimit: MonotonicInstant? { timeLimits.values.min().map(instant) }

  mutating func endTimeLimits(at due: MonotonicInstant, into effects: inout [Effect]) {
    for app in timeLimits.filter({ instant(of: $0.value) == due }).keys.sorted() {
      endTimeLimit(of: app, at: due, into: &effects)
    }
  }

  /// Records the total time of suspensions of the machine since the boot. Ends the temporary authorizations and the
  /// uses that ended during the latest suspension.
  mutating func resume(suspended total: Duration, at now: MonotonicInstant, into effects: inout [Effect]) {
    let slept = max(.zero, total - suspended)
    suspended += slept
    lastResumed = now
    for session in sessions.keys {
      guard let use = sessions[session]?.use else { continue }
      sessions[session]?.use?.lastAct = max(use.lastAct - slept, now - Bounds.useMax)
    }
    expire(at: now, into: &effects)
  }

  private func instant(of end: BootInstant) -> MonotonicInstant {
    max(MonotonicInstant(nanoseconds: end.nanoseconds) - suspended, lastResumed)
  }

  private mutating func endTimeLimit(of app: AppID, at now: MonotonicInstant, into effects: inout [Effect]) {
    var record = record(of: app)
    guard let limit = record.timeLimit else { return }
    let right: Right = record.status == .always ? .always : .whenInUse
    record.status = limit.formerStatus
    record.isProvisional = limit.wasProvisional
    record.timeLimit = nil
    replaceRecord(with: record, at: now, into: &effects) { authorization, effects in
      // The log entry is written before the record, so that a power cut cannot take the right away without an entry.
      effects.append(.recordEnd(app, of: right, limit.formerStatus))
      authorization.save(record, at: now, into: &effects)
    }
  }
}
