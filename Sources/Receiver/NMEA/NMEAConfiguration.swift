public import Clocks

/// The assumptions of a decoder about its receiver.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default for `rolloverFloor`. This date is before the first gateways existed, so no gateway has an older
  /// measurement.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether the decoder drops sentences without a checksum. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The initial duration of silence that ends an epoch. The decoder increases this duration if a receiver pauses
  /// within its epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder learns which sentence ends the epochs, and emits an epoch as soon as this sentence arrives. If
  /// the value is false, an epoch ends when the next epoch begins or when the line is silent. In this case no sentence
  /// is late.
  public var learnsEnd = true

  /// The earliest plausible date. The decoder moves an earlier date forward by periods of 1024 weeks (GPS week
  /// rollover), and sets `Epoch.isDateCorrected`. The value is nil for replays, because old logs have correct dates.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether the decoder recognises UTF-16 at the beginning of the input, because some programs save logs in UTF-16.
  /// The value is false for live receivers. When a serial line starts, it may deliver a zero before the first `$`,
  /// which looks like UTF-16.
  public var mayBeUTF16 = false

  /// Creates the configuration for a live receiver that follows the standard.
  public init() {}

  /// The configuration for recorded files. The decoder does not correct dates, and waits for all sentences of an epoch.
  public static var replay: NMEAConfiguration {
    var configuration = NMEAConfiguration()
    configuration.learnsEnd = false
    configuration.rolloverFloor = nil
    configuration.mayBeUTF16 = true
    return configuration
  }
}
