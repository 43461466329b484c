import Authorization
import Clocks
import Disclosure
import LineProtocol

/// The active updates, with the progress and the next deadline of each.
struct UpdateScheduler {
  enum Input {
    case add(RequestID, SessionID, UpdatesRequest)
    case remove(RequestID)
    case progressed(RequestID, UpdateProgress)
    /// The log's interval of updates has ended.
    case closed(RequestID)
    /// A new round of disclosures begins, in which intervals may be opened again.
    /// - ofAll: whether all updates are tried, so that no update is deferred.
    case beginRound(ofAll: Bool)
    /// An interval was opened, or was deferred because the round has opened enough intervals.
    case opened
    case postponed
  }

  struct Member {
    let request: RequestID
    let session: SessionID
    var progress: UpdateProgress
  }

  /// The number of log intervals that are opened in one round. Each interval waits for the disk, so an app with a
  /// thousand sessions would delay the button. The other intervals are opened shortly afterwards, after the events of
  /// this round.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var members: [RequestID: Member] = [:]
  /// The time of the next approximate fix of each request. Updates with full accuracy have no entry.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// The requests in the order in which they began.
  private var order: [RequestID] = []
  private var opened = 0
  /// The time at which the deferred intervals are opened; nil if no interval is deferred.
  private var nextRound: MonotonicInstant?

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .add(let request, let session, let options):
      members[request] = Member(request: request, session: session, progress: UpdateProgress(options))
      order.append(request)
    case .remove(let request):
      guard members.removeValue(forKey: request) != nil else { break }
      quarterHours[request] = nil
      if let index = order.firstIndex(of: request) { order.remove(at: index) }
    case .progressed(let request, let progress):
      members[request]?.progress = progress
      if let due = progress.nextQuarterHour { quarterHours[request] = due }
    case .closed(let request): members[request]?.progress.close()
    case .beginRound(let ofAll):
      opened = 0
      if ofAll { nextRound = nil }
    case .opened: opened += 1
    case .postponed: nextRound = now + Self.pause
    }
    return []
  }

  /// Returns the next deadline without an event: the quarter hour of an approximate fix, or a deferred interval.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // An approximate fix that is due and could not be sent is tried again when the indicator changes.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  /// Whether a deadline has passed.
  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  /// All updates, in the order in which they began.
  var all: [RequestID] { order }

  subscript(request: RequestID) -> Member? { members[request] }

  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
