package import GNSS

/// A receiver that somebody else reads: it gives epochs, not bytes.
///
/// Guaranteed: at most one epoch for each time that the receiver navigates at, in order. Not guaranteed: that it ever
/// speaks.
package protocol EpochPort: DeviceReader {
  /// As in `gpsd:127.0.0.1:2947`, for messages to people.
  var name: String { get }

  /// Whether the epochs tell where this machine is now.
  var isLive: Bool { get }

  /// Opens the port and hands over epochs until the source ends, the surrounding task is cancelled, or it fails.
  ///
  /// `opened` is called once, when the port could be opened. A port may be run again after it ended or failed.
  /// - Throws: `HardwareError`
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
