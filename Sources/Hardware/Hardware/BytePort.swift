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

  /// Opens the port and delivers chunks until the source ends, the task is cancelled, or the port fails. Afterwards the
  /// caller may call `run` again.
  ///
  /// - Parameters:
  ///   - opened: A function that is called once, when the port is open.
  ///   - receive: A function that is called for each chunk, with the chunk's arrival time.
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws
}
