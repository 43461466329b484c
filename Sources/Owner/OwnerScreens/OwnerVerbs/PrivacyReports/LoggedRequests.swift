import Base
import LineProtocol

/// The requests of apps in the disclosure log (the log of each fix sent to an app). Similar neighbouring requests are
/// combined, because the log can have a million entries.
package struct LoggedRequests {
  private(set) var apps: [String: PrivacyReport.App] = [:]
  /// The fixes whose outcome is still unknown. The key is the identifier of the log entry.
  private var openFixes: [Int: (app: String, fix: PrivacyReport.Fix)] = [:]
  private var openIntervals: [Int: (app: String, interval: PrivacyReport.Interval)] = [:]
  /// The time of the earliest entry; nil if no entry has a valid time. A time before the first release of OneFix is not
  /// valid, because the clock was not set.
  private(set) var first: UTCTime?

  package init() {}

  /// Adds the log entry in this JSON text. Entries must be added from the oldest to the newest.
  package mutating func add(_ json: String) {
    guard let line = EntryMessage(json: json), let name = line.app, let time = UTCTime(iso8601: line.time) else {
      return
    }
    if time >= UTCTime.firstGateways { first = min(first ?? time, time) }
    let accuracy = line.accuracy.flatMap { FixAccuracy(rawValue: $0) } ?? .full
    switch line.event {
    case "disclosure":
      openFixes[line.entry] = (name, .init(time: time, accuracy: accuracy, transport: line.transport ?? "", last: time))
    case "interval":
      openIntervals[line.entry] = (name, .init(start: time, accuracy: accuracy))
    case "outcome":
      guard var opening = line.of.flatMap({ openFixes.removeValue(forKey: $0) }) else { return }
      opening.fix.outcome = line.outcome
      apps[opening.app, default: .init(name: opening.app)].fixes.add(opening.fix)
    case "end":
      guard var opening = line.of.flatMap({ openIntervals.removeValue(forKey: $0) }) else { return }
      opening.interval.end = time
      opening.interval.fixes = line.fixes
      opening.interval.ended = opening.interval.start.duration(until: time)
      apps[opening.app, default: .init(name: opening.app)].intervals.add(opening.interval)
    case "answer", "right-end": apps[name, default: .init(name: name)].consents.append(.init(line, at: time))
    default: return
    }
  }

  /// A copy that also contains the fixes without a known outcome and the periods of updates (repeated fixes) without an
  /// end. The requests are sorted by time.
  var closed: LoggedRequests {
    var closed = self
    for open in openFixes.values { closed.apps[open.app, default: .init(name: open.app)].fixes.add(open.fix) }
    for open in openIntervals.values {
      closed.apps[open.app, default: .init(name: open.app)].intervals.append(open.interval)
    }
    for name in closed.apps.keys {
      closed.apps[name]?.fixes.sort { $0.time < $1.time }
      closed.apps[name]?.intervals.sort { $0.start < $1.start }
    }
    return closed
  }
}

extension PrivacyReport.Fix: TimelineEvent {
  var kind: [String] { [accuracy.rawValue, outcome ?? "", transport] }

  mutating func combine(with later: PrivacyReport.Fix) {
    count += later.count
    last = max(last, later.last)
  }
}

extension PrivacyReport.Interval: TimelineEvent {
  // An interval of unknown duration stays apart.
  var kind: [String] { [accuracy.rawValue, start < UTCTime.firstGateways ? "unknown" : ""] }
  var time: UTCTime { start }

  mutating func combine(with later: PrivacyReport.Interval) {
    count += later.count
    ended += later.ended
    if let mine = end, let theirs = later.end { end = max(mine, theirs) }
    fixes = fixes.flatMap { mine in later.fixes.map { mine + $0 } }
  }
}

extension UTCTime {
  func duration(until end: UTCTime) -> Duration {
    max(.zero, .nanoseconds(end.nanosecondsSince1970) - .nanoseconds(nanosecondsSince1970))
  }
}

extension PrivacyReport.Consent {
  fileprivate init(_ entry: EntryMessage, at time: UTCTime) {
    guard entry.event == "answer" else {
      self.init(time: time, end: .init(right: entry.right, status: entry.outcome), choice: "", way: "")
      return
    }
    self.init(
      time: time, kind: entry.kind ?? "",
      choice: [entry.choice, entry.accuracy].compactMap(\.self).joined(separator: ", "),
      way: entry.user.map { "user \($0)" } ?? entry.by ?? "", language: entry.language, purpose: entry.says)
  }
}
