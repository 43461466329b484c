package import Base

/// A source of a receiver's bytes: a UART, an I2C bus, a replayed log, or a simulation.
///
/// Guaranteed: the bytes arrive in order and without repetition, each chunk with its arrival time. Not guaranteed: that
/// a chunk contains whole sentences, that no byte is lost, or that bytes ever arrive.
package protocol BytePort: DeviceReader {
  /// The name of the port for messages, for example `uart:/dev/ttyS0:9600`.
  var name: String { get }

  /// Whether the bytes describe the current position of this machine; false for a simulation or a replay.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each chunk with its arrival time to `receive`, one after the other. The
  /// function returns when the source has no more bytes, or when the task is cancelled. The caller may call the
  /// function again after the function has returned or thrown.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws
}
