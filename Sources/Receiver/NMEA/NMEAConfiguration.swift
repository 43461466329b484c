public import Clocks

/// The assumptions of a decoder about its receiver.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default for `rolloverFloor`, a date before the first gateways: no measurement of a gateway is older.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether sentences without a checksum are dropped. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The initial duration of silence that ends an epoch. The decoder increases it if a receiver pauses within its
  /// epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder emits an epoch as soon as the sentence arrives that was the last one in the previous epochs.
  /// If false, an epoch ends when the next one begins or when the line is silent. In this case no sentence is late.
  public var learnsEnd = true

  /// The earliest plausible date. The decoder moves an earlier date forward by periods of 1024 weeks (GPS week
  /// rollover), and sets `Epoch.isDateCorrected`. Nil for replays, because old logs have correct dates.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether input that begins like UTF-16 is decoded as UTF-16, because some programs save logs in UTF-16. False for
  /// live receivers: when a serial line starts, it may deliver a zero before the first `$`, which looks like UTF-16.
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
