package import Hardware
package import NIOCore

/// A serial port that carries lines to a program at its other end, or a pseudo-terminal that stands for one.
///
/// The port is this program's alone while it is open: 8 data bits, no parity, 1 stop bit, no flow control. A break is
/// read as the bytes 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF. Its end gives the port back.
package final class SerialLinePort: Sendable {
  package let path: String
  /// Bits per second.
  package let speed: Int
  private let device: SerialDevice

  /// Opens it.
  /// - Parameters:
  ///   - speed: bits per second, one of `SerialSpeed.all`.
  ///   - isModem: whether a lost carrier is the end.
  /// - Throws: `HardwareError`
  package init(path: String, speed: Int, isModem: Bool = false) throws(HardwareError) {
    self.path = path
    self.speed = speed
    device = try SerialDevice(path: path, speed: speed, use: .lines(isModem: isModem))
  }

  // Whoever is told goodbye is to hear it; what is stuck is not waited for.
  deinit { device.release(flushes: device.unsent > 0) }

  /// What is read and written from now on. The port outlives the channel, and may then have another.
  /// - Parameter wrap: what stands between the port and the channel.
  /// - Throws: `HardwareError`
  package func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    try await device.channel(on: group, wrap)
  }

  /// Drops what was written and has not left.
  package func flushOutput() { device.flushOutput() }

  /// Bytes that were written and have not left, as far as the device tells.
  package var unsent: Int { device.unsent }

  /// Whether there is still a port: one that has gone is opened again by another.
  package var isOpen: Bool { device.isThere }
}
