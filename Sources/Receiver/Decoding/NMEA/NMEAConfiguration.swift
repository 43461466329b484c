public import Base

/// The assumptions of a decoder about its receiver.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default for `rolloverFloor`. No gateway existed before this date.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether the decoder drops sentences without a checksum. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The initial duration of silence that ends an epoch. It grows for a receiver that pauses within its epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder learns which sentence ends the epochs, and emits an epoch as soon as this sentence arrives. If
  /// false, only the next epoch or a silence of the line ends an epoch, and no sentence is late.
  public var learnsEnd = true

  /// The earliest plausible date. An earlier date moves forward by periods of 1024 weeks (GPS week rollover), and sets
  /// `Epoch.isDateCorrected`. Nil for replays, because old logs have correct dates.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether the decoder recognises UTF-16, in which some programs save logs. False for live receivers: a serial line
  /// may start with a zero before the first `$`, which looks like UTF-16.
  public var mayBeUTF16 = false

  /// Creates the configuration for a live receiver that follows the standard.
  public init() {}

  /// The configuration for recorded files. Dates are not corrected, and an epoch waits for all its sentences.
  public static var replay: NMEAConfiguration {
    var configuration = NMEAConfiguration()
    configuration.learnsEnd = false
    configuration.rolloverFloor = nil
    configuration.mayBeUTF16 = true
    return configuration
  }
}
