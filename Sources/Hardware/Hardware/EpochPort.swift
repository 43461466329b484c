package import GNSS

/// A source of epochs (an epoch is all data of a receiver for one instant) that another program, such as gpsd, decodes.
///
/// Guaranteed: at most one epoch for each instant that the receiver reports, in order. Not guaranteed: that epochs ever
/// arrive.
package protocol EpochPort: DeviceReader {
  /// The name of the port in error messages and the log, for example `gpsd:127.0.0.1:2947`.
  var name: String { get }

  /// Whether the data describes the present position of this machine. The value is false for a simulation or a
  /// recording.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each epoch (all data of one instant) to `receive`.
  ///
  /// The function returns when the port has no more data, or when the task is cancelled. The caller may then call the
  /// function again, also after an error.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
