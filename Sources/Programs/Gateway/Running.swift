import Authorization
import Clocks
import Hardware
import LineProtocol
import LineServer

/// What follows from the authorization alone: found when it is asked for, and good until the next event.
struct Derived {
  /// How many events there were.
  var version: UInt64 = 0
  fileprivate var running: Running?
  /// Who heard the last full fix of updates, by subscription.
  var audiences: [String: Audience] = [:]
  fileprivate var acquiring: [AppID: Bool] = [:]
  /// Nil where it is not known; within, nil where there is none.
  fileprivate var deadline: MonotonicInstant??
  fileprivate var quarterHour: MonotonicInstant??
  /// Updates that go on as they did; nil where that is not known.
  fileprivate var flow: (steady: [Steady], others: [Running.Member])?

  /// After an event.
  mutating func expire() {
    dissolve()
    self = Derived(version: version &+ 1)
  }

  /// Everybody is looked at by themselves again.
  mutating func dissolve() {
    for steady in flow?.steady ?? [] { steady.settle() }
    flow = nil
  }

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

/// Updates in full at one interval, of clients that were all given the same fix last: as long as nothing happens they are
/// all given the next, and nobody has to be looked at by themselves.
final class Steady {
  struct Rhythm: Hashable {
    let interval: Int?
    /// When the fix arrived that was given last.
    let last: MonotonicInstant
  }

  let interval: Int?
  private(set) var last: MonotonicInstant
  /// Who hears them, by subscription.
  private(set) var audiences: [String: Audience] = [:]
  private var updates: [RunningUpdates] = []
  private var given = 0

  fileprivate init(_ rhythm: Rhythm) {
    interval = rhythm.interval
    last = rhythm.last
  }

  fileprivate func add(_ updates: RunningUpdates, _ sids: [String], _ connection: Connection) {
    self.updates.append(updates)
    for sid in sids { audiences[sid, default: Audience()].add(connection) }
  }

  /// Nobody else joins them.
  fileprivate func close() { for sid in audiences.keys { audiences[sid]?.close() } }

  /// How many they are.
  var count: Int { updates.count }

  /// They were all given the fix that arrived then.
  func note(_ arrived: MonotonicInstant) {
    last = arrived
    given += 1
  }

  /// Each is told what all were given.
  fileprivate func settle() {
    for updates in updates {
      updates.last = last
      updates.given += given
    }
    given = 0
  }
}

extension Running.Member {
  /// What it has in common with others, and who hears it under which subscriptions; nil where it has to be looked at by
  /// itself, as what clients of gpsd are told.
  fileprivate var common: (Steady.Rhythm, RunningUpdates, [String], Connection)? {
    guard accuracy == .full, session.transport != .gpsd, let connection = session.connection,
      let updates = session.updates,
      updates.id == request, updates.entry != nil, updates.options.distance == nil, let last = updates.last,
      let sids = session.subscriptions.lastingUpdateSIDs
    else { return nil }
    return (Steady.Rhythm(interval: updates.options.interval, last: last), updates, sids, connection)
  }
}

extension Gateway {
  /// Those who are given their updates together, and those who are not.
  var flow: (steady: [Steady], others: [Running.Member]) { derived.flow ?? ([], running.members) }

  /// Everybody has been looked at by themselves: as long as nothing happens, that will do.
  func noteFlow() {
    guard derived.flow == nil else { return }
    var steady: [Steady.Rhythm: Steady] = [:]
    var others: [Running.Member] = []
    for member in running.members {
      guard let (rhythm, updates, sids, connection) = member.common else {
        others.append(member)
        continue
      }
      let group = steady[rhythm] ?? Steady(rhythm)
      group.add(updates, sids, connection)
      steady[rhythm] = group
    }
    for group in steady.values { group.close() }
    derived.flow = (Array(steady.values), others)
  }

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
