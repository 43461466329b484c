public import Clocks

/// The assumptions of a decoder about its receiver.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The default floor for the week rollover: no measurement is older than the program.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Whether sentences without a checksum are dropped. Some old receivers send no checksums.
  public var requiresChecksum = true

  /// The initial duration of silence that ends an epoch. The decoder increases it if a receiver pauses within its
  /// epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether the decoder emits an epoch with the sentence that ended the previous epochs, which is the earliest
  /// possible time. If false, an epoch ends when the next one begins or the line is silent, so no sentence is late.
  public var learnsEnd = true

  /// The floor for dates: earlier dates are moved by 1024-week periods until they are not before it (GPS week
  /// rollover), and the epoch is marked. Nil for replays, because old logs have genuine dates.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether input that begins like UTF-16 is decoded as UTF-16, in which some programs save logs. False for receivers:
  /// a line that starts up may send a zero before its first `$`, which looks the same.
  public var mayBeUTF16 = false

  /// Creates the configuration for a live receiver that follows the standard.
  public init() {}

  /// The configuration for recorded files: dates as written, complete epochs.
  public static var replay: NMEAConfiguration {
    var configuration = NMEAConfiguration()
    configuration.learnsEnd = false
    configuration.rolloverFloor = nil
    configuration.mayBeUTF16 = true
    return configuration
  }
}
