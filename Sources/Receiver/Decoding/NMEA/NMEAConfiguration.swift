public import Base

/// The settings of a decoder for one receiver or one recording.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default of `rolloverFloor`: 2026-01-01, before the first release of this software. A receiver that reports an
  /// earlier date has a wrong GPS week number.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether the decoder ignores NMEA sentences without a checksum. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The pause in the receiver's data that ends an epoch (all data of one instant). The decoder uses a longer pause for
  /// a receiver that pauses within its epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder learns which NMEA sentence usually is the last one of an instant, and emits the data of the
  /// instant when this sentence arrives. If false, the decoder waits for the next instant or for a pause.
  public var learnsEnd = true

  /// The earliest plausible date. The decoder adds periods of 1024 weeks (GPS week rollover) to an earlier date, and
  /// sets `Epoch.addedDays`. The value is nil for recordings, because old dates are correct there.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether the decoder recognises UTF-16, in which some programs save recordings. The value must be false for a live
  /// receiver, whose first bytes may look like UTF-16.
  public var mayBeUTF16 = false

  /// Creates the settings for live data from a receiver that sends checksums.
  public init() {}

  /// The settings for recordings. The decoder does not correct dates, and emits the data of one instant only when the
  /// next instant begins or the data pauses.
  public static var replay: NMEAConfiguration {
    var configuration = NMEAConfiguration()
    configuration.learnsEnd = false
    configuration.rolloverFloor = nil
    configuration.mayBeUTF16 = true
    return configuration
  }
}
