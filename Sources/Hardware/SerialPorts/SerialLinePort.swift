package import Hardware
package import NIOCore

/// A serial port with a line-based protocol. A pseudo-terminal can replace the serial port.
///
/// While the port is open, the port is locked. The port has 8 data bits, no parity, 1 stop bit and no flow control. The
/// reader gets a break as the bytes 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF. The deinitializer unlocks the port.
package final class SerialLinePort: Sendable {
  package let path: String
  /// The speed in bits per second.
  package let speed: Int
  private let device: SerialDevice

  /// Opens the port.
  ///
  /// - Parameters:
  ///   - path: The path of the device.
  ///   - speed: The speed in bits per second, one of `SerialSpeed.all`.
  ///   - isModem: Whether a lost carrier ends the input.
  /// - Throws: `HardwareError` if the port cannot be opened.
  package init(path: String, speed: Int, isModem: Bool = false) throws(HardwareError) {
    self.path = path
    self.speed = speed
    device = try SerialDevice(path: path, speed: speed, use: .lines(isModem: isModem))
  }

  // If unsent output remains, the line is stuck. The deinitializer then discards this output, because otherwise the
  // close would wait for the line. If all output was sent, the deinitializer discards nothing. The client may not have
  // read this output yet, and must still receive it.
  deinit { device.release(flushes: device.unsent > 0) }

  /// Creates a channel for the port. The port stays open after the channel has closed. Then the caller can create a new
  /// channel.
  ///
  /// - Parameters:
  ///   - group: The event loops.
  ///   - wrap: A function that adds the handlers between the port and the channel.
  /// - Throws: `HardwareError` if the channel cannot be created.
  package func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    try await device.channel(on: group, wrap)
  }

  /// Discards written bytes that were not sent.
  package func flushOutput() { device.flushOutput() }

  /// The number of written bytes that were not sent. The value is 0 if the device does not report this number.
  package var unsent: Int { device.unsent }

  /// Whether the device still exists. After it has disappeared, a new port must be opened.
  package var isOpen: Bool { device.isConnected }
}
