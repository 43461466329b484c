package import GNSS

/// A receiver that another program reads, so that it delivers epochs and not bytes.
///
/// Guaranteed: at most one epoch for each instant that the receiver reports, in order. Not guaranteed: that epochs ever
/// arrive.
package protocol EpochPort: DeviceReader {
  /// The name of the port for messages, for example `gpsd:127.0.0.1:2947`.
  var name: String { get }

  /// Whether the epochs describe the current position of this machine.
  var isLive: Bool { get }

  /// Opens the port and delivers epochs until the source ends, the task is cancelled, or the port fails.
  ///
  /// The caller may call `run` again after it has ended or failed.
  ///
  /// - Parameters:
  ///   - opened: Called once, after the port is open.
  ///   - receive: Called for each epoch.
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
