package import GNSS

/// A source of epochs from a receiver whose bytes another program decodes.
///
/// Guaranteed: at most one epoch for each instant that the receiver reports, in order. Not guaranteed: that epochs ever
/// arrive.
package protocol EpochPort: DeviceReader {
  /// The name that messages use for the port, for example `gpsd:127.0.0.1:2947`.
  var name: String { get }

  /// Whether the epochs describe the current position of this machine.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each epoch to `receive`. The function ends when the source ends, the
  /// task is cancelled, or the port fails. The caller may then call it again.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
