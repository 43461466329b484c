import Authorization
import Base
import Disclosure

/// The streams of updates (repeated fixes for one request). The scheduler also knows when a stream must be served
/// without a new fix of the GNSS receiver.
struct UpdateScheduler {
  /// The maximum count of log entries that the gateway writes for streams in one round (one pass over the streams).
  /// Each entry is a slow write to the disk. Without a limit, an app with a thousand sessions could delay a press of
  /// the button.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var streams: [RequestID: UpdateStream] = [:]
  /// The instants of the next approximate fixes, by request. A request with full accuracy has no value.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// All streams, in the order in which they started.
  private(set) var all: [UpdateStream] = []
  /// The count of log entries that the present round (one pass over the streams) has written.
  private var opened = 0
  /// The instant of the next round (one pass over the streams), which writes the delayed log entries; nil if no log
  /// entry is delayed.
  private var nextRound: MonotonicInstant?

  mutating func add(_ stream: UpdateStream) {
    streams[stream.request] = stream
    all.insert(stream, at: position(of: stream.request))
  }

  /// Removes the stream of updates (repeated fixes) of a request, if there is one.
  mutating func remove(_ request: RequestID) {
    guard streams.removeValue(forKey: request) != nil else { return }
    quarterHours[request] = nil
    all.remove(at: position(of: request))
  }

  /// Stores the instant at which the next approximate fix of a stream is due.
  mutating func schedule(_ stream: UpdateStream) { quarterHours[stream.request] = stream.nextQuarterHour }

  /// Begins a round (one pass over the streams), which may begin at most `mostIntervals` new intervals. An interval is
  /// the single log entry for many fixes of a stream.
  /// - Parameter ofAll: Whether the round serves all streams. All delayed intervals are then included.
  mutating func beginRound(ofAll: Bool) {
    opened = 0
    if ofAll { nextRound = nil }
  }

  /// Counts a new interval (the single log entry for many fixes of a stream) in the present round.
  mutating func noteOpenedInterval() { opened += 1 }

  /// Delays the new log entry of a stream to a further round (one pass over the streams). The present round may write
  /// no more log entries.
  mutating func postponeInterval(at now: MonotonicInstant) { nextRound = now + Self.pause }

  /// Returns the index of a request in `all`, or the index at which to insert the request. The search is binary,
  /// because the kill switch removes thousands of streams.
  private func position(of request: RequestID) -> Int {
    var positions = 0..<all.count
    while !positions.isEmpty {
      let middle = (positions.lowerBound + positions.upperBound) / 2
      positions = all[middle].request < request ? middle + 1..<positions.upperBound : positions.lowerBound..<middle
    }
    return positions.lowerBound
  }

  /// Returns the instant of the next approximate fix, or of the next round (one pass over the streams) for delayed log
  /// entries; nil if there is none.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // If an approximate fix could not be sent, its deadline in the past is ignored. A change of the indicator causes
    // the next attempt.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  /// Returns whether an approximate fix is due, or a round (one pass over the streams) for delayed log entries.
  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  subscript(request: RequestID) -> UpdateStream? { streams[request] }

  /// Whether the present round (one pass over the streams) may write one more log entry.
  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
