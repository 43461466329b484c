import Authorization
import Base
import Disclosure
import LineProtocol

/// The streams of updates (repeated fixes for one request), and the instants at which a stream needs service without a
/// new fix of the receiver.
struct UpdateScheduler {
  /// The maximum count of log entries that one round writes for streams. Each entry waits for the disk, so an app with
  /// a thousand sessions would delay a press of the button. The other entries follow in the next round.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var streams: [RequestID: UpdateStream] = [:]
  /// The instant of the next approximate fix, by request. Requests with full accuracy have no entry.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// All streams, in the order in which they started.
  private(set) var all: [UpdateStream] = []
  /// The count of log entries that the present round has written.
  private var opened = 0
  /// The instant of the next round; nil if no log entry waits for it.
  private var nextRound: MonotonicInstant?

  mutating func add(_ stream: UpdateStream) {
    streams[stream.request] = stream
    all.insert(stream, at: position(of: stream.request))
  }

  /// Removes the stream of a request. Without such a stream, the call has no effect.
  mutating func remove(_ request: RequestID) {
    guard streams.removeValue(forKey: request) != nil else { return }
    quarterHours[request] = nil
    all.remove(at: position(of: request))
  }

  /// Records the instant of the next approximate fix of a stream.
  mutating func schedule(_ stream: UpdateStream) { quarterHours[stream.request] = stream.nextQuarterHour }

  /// Begins a round, in which streams get their fixes. A stream has one log entry for many fixes, called an interval;
  /// one round may begin at most `mostIntervals` intervals.
  /// - Parameter ofAll: Whether the round serves all streams, also those whose interval was postponed.
  mutating func beginRound(ofAll: Bool) {
    opened = 0
    if ofAll { nextRound = nil }
  }

  /// Records that a stream has begun a new interval (a log entry for many fixes).
  mutating func noteOpenedInterval() { opened += 1 }

  /// Postpones the interval (the log entry for many fixes) of a stream to the next round, because the present round has
  /// reached its limit.
  mutating func postponeInterval(at now: MonotonicInstant) { nextRound = now + Self.pause }

  /// Returns the index of a request in `all`, or the index at which it belongs. The search is binary, because the kill
  /// switch removes thousands of streams.
  private func position(of request: RequestID) -> Int {
    var positions = 0..<all.count
    while !positions.isEmpty {
      let middle = (positions.lowerBound + positions.upperBound) / 2
      positions = all[middle].request < request ? middle + 1..<positions.upperBound : positions.lowerBound..<middle
    }
    return positions.lowerBound
  }

  /// Returns the instant of the next approximate fix, or of the next round for postponed log entries; nil if there is
  /// none.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // If an approximate fix could not be sent, its deadline in the past is ignored. A change of the indicator causes
    // the next attempt.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  /// Returns whether an approximate fix is due, or a round for postponed log entries.
  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  subscript(request: RequestID) -> UpdateStream? { streams[request] }

  /// Whether the present round may begin one more interval (a log entry for many fixes).
  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
