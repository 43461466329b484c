public import Clocks

/// What a decoder may assume of its receiver.
public struct NMEAConfiguration: Hashable, Sendable {
  /// The week rollover is judged against this day unless another is given: no measurement is older than the program.
  public static let compiledFloor = UTCTime.firstGateways.date

  /// Sentences without a checksum are dropped. Some old receivers send none.
  public var requiresChecksum = true

  /// How long the line is silent at the end of an epoch, as long as the receiver has not taught better. It grows where
  /// a receiver pauses within its epochs.
  public var idleGap: Duration = .milliseconds(50)

  /// Whether an epoch is handed over with the sentence that has ended the epochs before it, which is the soonest. If
  /// not, it is handed over when the next begins or the line is silent, and nothing of it can come too late.
  public var learnsEnd = true

  /// Dates before this day are moved by 1024 weeks until they are not (GPS week rollover), and the epoch says so. Nil
  /// for replays: an old log is genuine.
  public var rolloverFloor: UTCDate? = compiledFloor

  /// Whether bytes that begin as UTF-16 does are a text of it, as some programs save their logs. No receiver sends it;
  /// a line that comes up may have a zero before its first `$`, which looks the same.
  public var mayBeUTF16 = false

  /// For a live receiver that keeps to the standard.
  public init() {}

  /// For recorded files: dates as they are, epochs whole.
  public static var replay: NMEAConfiguration {
    var configuration = NMEAConfiguration()
    configuration.learnsEnd = false
    configuration.rolloverFloor = nil
    configuration.mayBeUTF16 = true
    return configuration
  }
}
