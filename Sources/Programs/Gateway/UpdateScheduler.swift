import Authorization
import Clocks
import Disclosure
import LineProtocol

/// The updates that run: how far each has come, and when the next fix of each is due.
struct UpdateScheduler {
  enum Input {
    case add(RequestID, SessionID, UpdatesRequest)
    case remove(RequestID)
    case progressed(RequestID, UpdateProgress)
    /// The log's interval of updates has ended.
    case closed(RequestID)
    /// A new round of disclosures begins: intervals may be opened again.
    /// - ofAll: whether all updates are tried, so that none is left for later.
    case beginRound(ofAll: Bool)
    /// An interval was opened, or was not because there were enough.
    case opened
    case postponed
  }

  struct Member {
    let request: RequestID
    let session: SessionID
    var progress: UpdateProgress
  }

  /// How many intervals are opened in the log at one moment. Each waits for the disk: an app with a thousand sessions would
  /// hold up the button. The others are opened a moment later, after the events of that moment.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var members: [RequestID: Member] = [:]
  /// When the next approximate fix of each request is due. Updates with full accuracy are not in it.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// The requests in the order in which they began.
  private var order: [RequestID] = []
  private var opened = 0
  /// When the other intervals are opened; nil if there are none.
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

  /// When updates are due although nothing happens: an approximate fix at a quarter hour, or a postponed interval.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // An approximate fix that is due and could not be sent is tried again when the light changes.
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
