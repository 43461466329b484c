import Authorization
import Base
import Disclosure
import LineProtocol

/// The running streams of updates, and the times at which they must be served without a new fix of the receiver.
struct UpdateScheduler {
  /// The maximum number of log intervals that one round opens. Each interval waits for the disk. Without this limit, an
  /// app with a thousand sessions would delay the button. The other intervals are opened a moment later.
  static let mostIntervals = 4
  private static let pause = Duration.milliseconds(1)

  private var streams: [RequestID: UpdateStream] = [:]
  /// For each request, the time of its next approximate fix. Requests with full accuracy have no entry.
  private var quarterHours: [RequestID: MonotonicInstant] = [:]
  /// All streams, in the order of their requests, which is the order of their start.
  private(set) var all: [UpdateStream] = []
  /// The number of log intervals that the present round has opened.
  private var opened = 0
  /// The time of the next round, because log intervals are deferred; nil if none is deferred.
  private var nextRound: MonotonicInstant?

  /// Adds a stream that begins.
  mutating func add(_ stream: UpdateStream) {
    streams[stream.request] = stream
    all.insert(stream, at: position(of: stream.request))
  }

  /// Removes the stream of a request, if there is one.
  mutating func remove(_ request: RequestID) {
    guard streams.removeValue(forKey: request) != nil else { return }
    quarterHours[request] = nil
    all.remove(at: position(of: request))
  }

  /// Notes the time of a stream's next approximate fix.
  mutating func schedule(_ stream: UpdateStream) { quarterHours[stream.request] = stream.nextQuarterHour }

  /// Begins a new round of disclosures. The log entry of a stream of updates is called an interval. In one round, at
  /// most `mostIntervals` streams may open a new interval.
  /// - Parameter ofAll: Whether the round serves all streams, and so also the streams with deferred intervals.
  mutating func beginRound(ofAll: Bool) {
    opened = 0
    if ofAll { nextRound = nil }
  }

  /// Notes that a stream of updates has a new interval in the log.
  mutating func noteOpenedInterval() { opened += 1 }

  /// Defers the interval of a stream to the next round, because one round opens only a limited number of intervals.
  mutating func postponeInterval(at now: MonotonicInstant) { nextRound = now + Self.pause }

  /// Returns the position of a request in `all`, by a binary search: the kill switch removes thousands of streams.
  private func position(of request: RequestID) -> Int {
    var positions = 0..<all.count
    while !positions.isEmpty {
      let middle = (positions.lowerBound + positions.upperBound) / 2
      positions = all[middle].request < request ? middle + 1..<positions.upperBound : positions.lowerBound..<middle
    }
    return positions.lowerBound
  }

  /// Returns the next deadline: the next approximate fix, or the opening of deferred intervals.
  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    // If an approximate fix could not be sent, its deadline in the past is ignored. A change of the indicator causes
    // the next attempt.
    let quarterHour = quarterHours.values.lazy.filter { $0 > now }.min()
    return [nextRound, quarterHour].compactMap(\.self).min()
  }

  /// Returns whether an approximate fix or the opening of deferred intervals is due.
  func isDue(at now: MonotonicInstant) -> Bool {
    if let nextRound, nextRound <= now { return true }
    return quarterHours.values.contains { $0 <= now }
  }

  subscript(request: RequestID) -> UpdateStream? { streams[request] }

  /// Whether the present round may open another interval.
  var mayOpenInterval: Bool { opened < Self.mostIntervals }
}
