public import Base

/// The settings of a decoder for one receiver or one recording.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default for `rolloverFloor`: 2026-01-01, before the first release of this software. A receiver that reports an
  /// earlier date has a wrong GPS week number.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether the decoder ignores NMEA sentences without a checksum. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The pause in the receiver's data after which an epoch (all data of one instant) is complete. The decoder uses a
  /// longer pause for a receiver that pauses within its epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder learns which NMEA sentence usually is the last one of an instant, and emits the data of the
  /// instant when this sentence arrives. If false, the decoder waits for the next instant or for a pause.
  public var learnsEnd = true

  /// The earliest plausible date. To an earlier date, the decoder adds periods of 1024 weeks (GPS week rollover), and
  /// sets `Epoch.isDateCorrected`. The value is nil for recordings, because the dates of old recordings are correct.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether the decoder recognises UTF-16, in which some programs save recordings. False for live receivers: serial
  /// data may start with a zero before the first `$`, which looks like UTF-16.
  public var mayBeUTF16 = false

  /// Creates the settings for a live receiver that follows the standard NMEA 0183.
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
