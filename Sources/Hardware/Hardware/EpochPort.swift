package import GNSS

/// A source of epochs from a receiver whose bytes another program decodes.
///
/// Guaranteed: at most one epoch for each instant that the receiver reports, in order. Not guaranteed: that epochs ever
/// arrive.
package protocol EpochPort: DeviceReader {
  /// The name that messages use for the port, for example `gpsd:127.0.0.1:2947`.
  var name: String { get }

  /// Whether the epochs describe the current position of this machine; false for a simulation or a recording.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each epoch to `receive`. The function returns when the source has no
  /// more epochs, or when the task is cancelled. The caller may call the function again after the function has returned
  /// or thrown.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
