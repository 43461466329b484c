package import Clocks

/// Where a receiver's bytes come from: a UART, an I2C bus, a log that is replayed, a simulation.
///
/// Guaranteed: bytes are handed over in order, none twice, each chunk with the time at which it was read.
/// Not guaranteed: that chunks respect sentences, that no byte was lost on the wire, or that the port ever speaks.
package protocol BytePort: DeviceReader {
  /// As in `uart:/dev/ttyS0:9600`, for messages to people.
  var name: String { get }

  /// Whether the bytes tell where this machine is now. False for a simulation or a replay.
  var isLive: Bool { get }

  /// Opens the port and hands over chunks until the source ends, the surrounding task is cancelled, or it fails.
  ///
  /// `opened` is called once, when the port could be opened. A port may be run again after it ended or failed.
  /// - Throws: `HardwareError`
  func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws
}
