package import Clocks

/// A source of a receiver's bytes: a UART, an I2C bus, a replayed log, or a simulation.
///
/// Guaranteed: the port delivers bytes in order and without repetition, each chunk with the time at which it was read.
/// Not guaranteed: that chunks begin or end at the boundaries of sentences, that no byte is lost on the wire, or that
/// bytes ever arrive.
package protocol BytePort: DeviceReader {
  /// The name of the port for messages, for example `uart:/dev/ttyS0:9600`.
  var name: String { get }

  /// Whether the bytes describe the current position of this machine. The value is false for a simulation or a replay.
  var isLive: Bool { get }

  /// Opens the port and delivers chunks until the source ends, the task is cancelled, or the port fails.
  ///
  /// The caller may call `run` again after `run` has ended or failed.
  ///
  /// - Parameters:
  ///   - opened: A function that is called once, when the port is open.
  ///   - receive: A function that is called for each chunk, with the time at which the chunk arrived.
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws
}
