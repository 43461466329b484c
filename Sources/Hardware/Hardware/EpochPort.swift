package import GNSS

/// A port for a receiver that another program reads. The other program decodes the receiver's bytes. Therefore this
/// port delivers epochs and not bytes.
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
  /// The caller may call `run` again after `run` has ended or failed.
  ///
  /// - Parameters:
  ///   - opened: A function that is called once, when the port is open.
  ///   - receive: A function that is called for each epoch.
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws
}
