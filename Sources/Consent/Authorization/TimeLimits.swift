package import Base
package import LineProtocol

// Authorizations for a time. (row D6)
extension Authorization {
  /// Returns the limit of an authorization that an owner gives for a time. The former status is the status before the
  /// first of several authorizations for a time. The result is nil if the former status permits as much as the new
  /// status: the end would then take no right away.
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

  /// Returns the end of the present authorization of an app; nil if the authorization has no end.
  package func timeLimit(of app: AppID) -> TimeLimit? {
    status(of: app) == .restricted ? nil : records[app]?.timeLimit
  }

  /// The records of the apps that have an authorization for a time, sorted by app.
  package var limitedRecords: [AppRecord] { timeLimits.keys.sorted().compactMap { records[$0] } }

  /// The next instant at which an authorization for a time ends; nil if there is none.
  package var nextTimeLimit: MonotonicInstant? { timeLimits.values.min().map(instant) }

  /// Ends the authorizations for a time that end at an instant.
  mutating func endTimeLimits(at due: MonotonicInstant, into effects: inout [Effect]) {
    for app in timeLimits.filter({ instant(of: $0.value) == due }).keys.sorted() {
      endTimeLimit(of: app, at: due, into: &effects)
    }
  }

  /// Records the total time for which the machine was suspended. The authorizations that ended during this time end now.
  mutating func resume(suspended total: Duration, at now: MonotonicInstant, into effects: inout [Effect]) {
    suspended = max(suspended, total)
    lastResumed = now
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
