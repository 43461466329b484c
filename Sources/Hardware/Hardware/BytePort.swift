package import Clocks

/// A source of a receiver's bytes: a UART, an I2C bus, a replayed log, or a simulation.
///
/// Guaranteed: the bytes arrive in order and without repetition, each chunk with its arrival time. Not guaranteed: that
/// chunks match sentences, that no byte is lost, or that bytes ever arrive.
package protocol BytePort: DeviceReader {
  /// The name of the port for messages, for example `uart:/dev/ttyS0:9600`.
  var name: String { get }

  /// Whether the bytes describe the current position of this machine; false for a simulation or a replay.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each chunk with its arrival time to `receive`, one after the other. The
  /// function ends when the source ends, the task is cancelled, or the port fails. The caller may then call it again.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws
}
