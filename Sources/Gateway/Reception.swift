import Clocks
import Estimation
package import GNSS
import Hardware
import NMEA
import ReceiverStream

/// What the receiver is doing, as owners see it. Nothing here tells where it is.
package struct ReceiverCondition: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// It cannot be opened, or has gone.
    case absent
    /// It is there and has said nothing that makes sense yet.
    case starting
    /// It speaks, and has no fix.
    case acquiring
    /// It has a fix.
    case ready
  }

  package var state: State
  /// As in `2d`; nil without a fix.
  package var mode: FixMode?
  package var satellitesUsed: Int?
  package var hdop: Double?
  /// Why it is absent.
  package var cause: String?
}

/// From the receiver's bytes to the latest fix.
struct Reception {
  private let configuration: NMEAConfiguration
  private var decoder: ReceiverDecoder
  private(set) var condition = ReceiverCondition(state: .absent)
  private(set) var latest: SealedFix?
  /// The day by this machine's clock, which may be false; nil where it is not known.
  var today: UTCDate?
  /// When the last epoch ended; nil while there is none, or none for long.
  private var lastEpoch: MonotonicInstant?

  /// - Parameter isLive: the dates of a log or a simulation are as genuine as they are old.
  init(isLive: Bool) {
    var configuration = NMEAConfiguration()
    if !isLive { configuration.rolloverFloor = nil }
    self.configuration = configuration
    decoder = ReceiverDecoder(configuration: configuration)
  }

  mutating func opened() {
    decoder = ReceiverDecoder(configuration: configuration)
    condition = ReceiverCondition(state: .starting)
  }

  mutating func lost(cause: String) {
    latest = nil
    lastEpoch = nil
    condition = ReceiverCondition(state: .absent, cause: cause)
  }

  /// Takes bytes as they came; true where they completed an epoch.
  mutating func take(_ bytes: [UInt8], at arrived: MonotonicInstant) -> Bool {
    var epochs: [Epoch] = []
    decoder.consume(bytes.span, at: arrived) { epochs.append($0) }
    return take(epochs)
  }

  /// Takes an epoch that somebody else has decoded.
  mutating func take(_ epoch: Epoch) -> Bool {
    take([epoch])
  }

  /// A receiver that says nothing for that long has fallen silent: the slowest report every five seconds.
  private static let silence: Duration = .seconds(6)

  /// Nothing came for a while: that may end an epoch, or mean that the receiver fell silent.
  mutating func idle(at now: MonotonicInstant) -> Bool {
    if let lastEpoch, lastEpoch + Self.silence <= now {
      latest = nil
      self.lastEpoch = nil
      condition = ReceiverCondition(state: .starting)
    }
    var epochs: [Epoch] = []
    if let deadline = decoder.nextDeadline, deadline <= now { decoder.idle(at: now) { epochs.append($0) } }
    return take(epochs)
  }

  var nextDeadline: MonotonicInstant? {
    guard let silent = lastEpoch.map({ $0 + Self.silence }) else { return decoder.nextDeadline }
    return decoder.nextDeadline.map { min($0, silent) } ?? silent
  }

  /// What came and what was thrown away, for people.
  var statistics: Statistics { decoder.statistics }

  /// The epoch's date. One that was taken for a rollover of the GPS week and would then lie ahead of this machine's
  /// clock was none: somebody plays an old log to the port.
  private func plausible(_ epoch: Epoch) -> UTCDate? {
    guard epoch.isDateCorrected, let date = epoch.date, let floor = NMEAConfiguration.compiledFloor, let today,
      today >= floor, date.daysSince1970 > today.daysSince1970 + 1
    else { return epoch.date }
    return UTCDate(daysSince1970: date.daysSince1970 - 1024 * 7)
  }

  private mutating func take(_ epochs: [Epoch]) -> Bool {
    guard var epoch = epochs.last else { return false }
    lastEpoch = epoch.ended
    epoch.date = plausible(epoch)
    // What a receiver estimated, was told or simulates is no measurement, and never served as one.
    let isMeasured = ![.estimated, .manual, .simulator, .invalid].contains(epoch.quality)
    latest = isMeasured ? Fix(measured: epoch).map { SealedFix($0) } : nil
    condition = ReceiverCondition(
      state: latest == nil ? .acquiring : .ready, mode: latest == nil ? nil : epoch.mode,
      satellitesUsed: epoch.satellitesUsed, hdop: epoch.dilutionOfPrecision.horizontal)
    return true
  }
}
