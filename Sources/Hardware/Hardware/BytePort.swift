package import Base

/// A source of the bytes that a satellite receiver sends: a serial port, an I2C bus, a recording, or a simulation.
///
/// Guaranteed: the bytes arrive in order and without repetition, each chunk with its arrival time. Not guaranteed: that
/// a chunk contains whole NMEA sentences, that no byte is lost, or that bytes ever arrive.
package protocol BytePort: DeviceReader {
  /// The name of the port in error messages and the log, for example `uart:/dev/ttyS0:9600`.
  var name: String { get }

  /// Whether the data describes the present position of this machine. The value is false for a simulation or a
  /// recording.
  var isLive: Bool { get }

  /// Opens the port, calls `opened`, and passes each chunk of bytes with its arrival time to `receive`.
  ///
  /// The function returns when there are no more bytes, or when the task is cancelled. The caller may then call the
  /// function again, also after an error.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws
}
