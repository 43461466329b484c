import Authorization
import Clocks
import Disclosure
import LineProtocol

/// The running streams of updates, with the progress and the next deadline of each.
struct UpdateScheduler {
  enum Input {
    case add(RequestID, SessionID, UpdatesRequest)
    case remove(RequestID)
    case progressed(RequestID, UpdateProgress)
    case closed(RequestID)
    /// Begins a new round of disclosures. The log entry of a stream of updates is called an interval. In one round,
    /// only a few streams may open a new interval.
    /// - ofAll: whether this round includes all streams of updates. This includes streams with deferred intervals.
    case beginRound(ofAll: Bool)
    /// The stream of updates has a new interval in the log. With `postponed`, it gets one in the next round, because one
    /// round opens only a limited number of intervals.
    case opened
    case postponed
  }

  struct Member {
    let request: RequestID
    let session: SessionID
    var progress: UpdateProgress
  }

  /// The maximum number of log intervals that one round opens. Each interval waits for the disk. Without this limit, an
  /// app with a thousand sessions would delay the button. The other intervals are opened a moment later.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var members: [RequestID: Member] = [:]
  /// The time of the next approximate fix of each request. Requests with full accuracy have no entry.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// The requests for updates, in the order of their start.
  private var order: [RequestID] = []
  private var opened = 0
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

  /// Returns the next deadline: the next approximate fix, or the opening of deferred intervals.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // If an approximate fix could not be sent, its deadline in the past is ignored. A change of the indicator causes
    // the next attempt.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  var all: [RequestID] { order }

  subscript(request: RequestID) -> Member? { members[request] }

  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
