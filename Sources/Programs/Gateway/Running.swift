import Authorization
import Clocks
import Hardware
import LineProtocol
import Ports

/// What follows from the authorization alone: found when it is asked for, and good until the next event.
struct Derived {
  /// How many events there were.
  var version: UInt64 = 0
  fileprivate var running: Running?
  fileprivate var acquiring: [AppID: Bool] = [:]
  /// Nil where it is not known; within, nil where there is none.
  fileprivate var deadline: MonotonicInstant??
  fileprivate var quarterHour: MonotonicInstant??
  /// After an event.
  mutating func expire() { self = Derived(version: version &+ 1) }

  mutating func expireQuarterHour() { quarterHour = nil }
}

/// All updates, in the order in which they were asked for.
struct Running {
  final class Member {
    let updates: Updates
    let request: RequestID
    let notBefore: MonotonicInstant
    let session: Session
    let accuracy: Accuracy
    /// What it follows from.
    let version: UInt64

    fileprivate init(_ updates: Updates, _ session: Session, _ accuracy: Accuracy, version: UInt64) {
      self.updates = updates
      request = updates.request
      notBefore = updates.notBefore
      self.session = session
      self.accuracy = accuracy
      self.version = version
    }
  }

  fileprivate(set) var members: [Member] = []
  /// What they show; nil where there are none.
  fileprivate(set) var indication: Indication?
  fileprivate(set) var ofApps: [AppID: Indication] = [:]
}

extension Gateway {
  var isEveryClientAway: Bool { sessions.values.allSatisfy { $0.connection == nil } }

  var running: Running {
    if let running = derived.running { return running }
    var running = Running()
    for updates in authorization.updates.values.sorted(by: { $0.request < $1.request }) {
      guard let session = sessions[updates.session] else { continue }
      let accuracy = authorization.accuracy(of: updates.app, in: updates.session)
      running.members.append(Running.Member(updates, session, accuracy, version: derived.version))
      let indication = authorization.isInSight(updates.session) ? Indication.inUse : .background
      if running.indication != .inUse { running.indication = indication }
      if running.ofApps[updates.app] != .inUse { running.ofApps[updates.app] = indication }
    }
    derived.running = running
    return running
  }

  /// What an app's updates and starts show; nil where it has none.
  func indicationOfUse(by app: AppID) -> Indication? {
    let isAcquiring = derived.acquiring[app] ?? authorization.seemsToAcquire(app)
    derived.acquiring[app] = isAcquiring
    return isAcquiring ? .acquiring : running.ofApps[app]
  }

  /// When the authorization has something to do.
  var nextAuthorizationDeadline: MonotonicInstant? {
    if let known = derived.deadline { return known }
    let deadline = authorization.nextDeadline
    derived.deadline = .some(deadline)
    return deadline
  }

  /// When the next approximate fix is to be sent.
  var nextQuarterHour: MonotonicInstant? {
    if let known = derived.quarterHour { return known }
    let due = running.members.lazy.compactMap { $0.session.updates?.quarterHours.due }.min()
    derived.quarterHour = .some(due)
    return due
  }

  /// The next that is not due yet.
  func nextQuarterHour(after now: MonotonicInstant) -> MonotonicInstant? {
    guard let next = nextQuarterHour, next <= now else { return nextQuarterHour }
    return running.members.lazy.compactMap { $0.session.updates?.quarterHours.due }.filter { $0 > now }.min()
  }

  /// Tells apps what they may see of the indicator, where that has changed.
  func tellIndications(at now: MonotonicInstant) {
    for app in sessions.apps {
      let told = appIndication(app, at: now)
      guard told != toldIndications[app] else { continue }
      toldIndications[app] = told
      for session in sessions.of(app) where session.toldIndication != told {
        session.toldIndication = told
        session.tell(.indicator, "{\"state\":\"\(told)\"}")
      }
    }
  }
}
