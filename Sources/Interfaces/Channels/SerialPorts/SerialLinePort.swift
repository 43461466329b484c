import Base
package import Hardware
package import NIOCore
import OperatingSystem

/// A serial port or pseudo-terminal for a protocol of text lines. The deinitializer unlocks the port.
///
/// An open port is locked, with 8 data bits, no parity, 1 stop bit and no flow control. The reader of the port gets a
/// break as the bytes 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF.
package final class SerialLinePort: Sendable {
  package let path: String
  /// The speed in bits per second.
  package let speed: Int
  private let device: SerialDevice

  /// Opens the port. `speed` is one of `SerialSpeed.all`. If `isModem` is true, the input ends when the modem loses its
  /// carrier.
  package init(path: String, speed: Int, isModem: Bool = false) throws(HardwareError) {
    self.path = path
    self.speed = speed
    device = try SerialDevice(path: path, speed: speed, use: .lines(isModem: isModem))
  }

  // If output is still unsent, the other end does not receive, so the close must not wait until the output is sent.
  // Output that was sent is not discarded, because the client may still read it.
  deinit { device.release(flushes: device.unsent > 0) }

  /// Creates a channel for the port. After the channel has closed, the caller can create a new one.
  ///
  /// - Parameter wrap: A function that adds the handlers between the port and the channel.
  /// - Throws: `HardwareError` if the channel cannot be created.
  package func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    try await device.channel(on: group, wrap)
  }

  /// Writes bytes, and returns when the port has sent the bytes. The calling thread waits.
  /// - Parameter timeout: the maximum time for which the port may accept no bytes.
  package func send(_ bytes: [UInt8], within timeout: Duration) throws(HardwareError) {
    try device.send(bytes, until: SystemClock.monotonic + timeout)
  }

  package func flushOutput() { device.flushOutput() }

  /// The number of unsent bytes; 0 if the device does not report this number.
  package var unsent: Int { device.unsent }

  /// Whether the device still exists, and the device at its other end has not disconnected. If not, a new port must be
  /// opened.
  package var isOpen: Bool { device.isConnected }
}
