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
    /// The end of a stream of updates was written to the log.
    case closed(RequestID)
    /// Begins a new round of disclosures. Each stream of updates has an entry in the log, which is called an interval.
    /// In one round, only a few streams may open a new interval.
    /// - ofAll: whether the gateway tries to send fixes for all streams of updates in this round. If so, the time of
    ///   the next round is cleared, because this round includes the deferred intervals.
    case beginRound(ofAll: Bool)
    /// The log interval of a stream of updates was opened. If the round has already opened the maximum number of
    /// intervals, the interval is deferred (`postponed`).
    case opened
    case postponed
  }

  struct Member {
    let request: RequestID
    let session: SessionID
    var progress: UpdateProgress
  }

  /// The maximum number of log intervals that one round opens. The gateway waits for the disk at each interval. Without
  /// this limit, an app with a thousand sessions would delay the button. The remaining intervals are opened a moment
  /// later. Before that, the gateway handles the events that came during this round.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var members: [RequestID: Member] = [:]
  /// The time of the next approximate fix of each request. If updates have full accuracy, their request has no entry
  /// here.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// The requests for updates, in the order in which the updates began.
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

  /// Returns the next deadline: the next quarter of an hour at which an approximate fix is sent, or the opening of
  /// deferred intervals.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // If an approximate fix was due and could not be sent, it needs no further deadline. The gateway tries to send the
    // fix again when the indicator changes.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  /// Whether a deadline has passed.
  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  /// The requests of all updates, in the order in which they began.
  var all: [RequestID] { order }

  subscript(request: RequestID) -> Member? { members[request] }

  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
