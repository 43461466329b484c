import Base
package import Hardware
package import NIOCore
import OperatingSystem

/// A serial port or pseudo-terminal over which a client exchanges protocol lines with the gateway. The deinitializer
/// unlocks the port.
///
/// An open port is locked, with 8 data bits, no parity, 1 stop bit and no flow control. The reader of the port gets a
/// BREAK as the bytes 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF.
package final class SerialLinePort: Sendable {
  /// The speed of the serial port in bits per second.
  package let speed: Int
  private let device: SerialDevice

  /// Opens the port and locks the port for this process.
  /// - Parameters:
  ///   - speed: The speed in bits per second, one of `SerialSpeed.all`.
  ///   - isModem: Whether the input ends when a modem loses its carrier.
  package init(path: String, speed: Int, isModem: Bool = false) throws(HardwareError) {
    self.speed = speed
    device = try SerialDevice(path: path, speed: speed, use: .lines(isModem: isModem))
  }

  deinit { device.release() }

  /// Creates an NIO channel on the port. After the channel has closed, the caller can create a new one.
  ///
  /// - Parameter wrap: Adds the handlers to the NIO channel, and returns the asynchronous channel.
  /// - Throws: `HardwareError` if the channel cannot be created.
  package func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    try await device.channel(on: group, wrap)
  }

  /// Writes bytes, and blocks the calling thread until the port has sent the bytes.
  /// - Parameter timeout: The maximum time until the port has accepted all bytes. The port then has twice the time that
  ///   its speed needs, and one second, to send the bytes. After these times, the function throws an error.
  package func send(_ bytes: [UInt8], within timeout: Duration) throws(HardwareError) {
    // A byte has ten bits with its start bit and its stop bit.
    let transferTime = Duration.seconds(1) + .milliseconds(2 * 10_000 * bytes.count / speed)
    try device.send(bytes, until: SystemClock.monotonic + timeout, transferTime: transferTime)
  }

  package func flushOutput() { device.flushOutput() }

  /// The count of written bytes that the port has not sent yet; 0 if the device does not report this count.
  package var unsent: Int { device.unsent }

  /// Whether the port still exists and the device at its other end is connected. If false, the caller must open a new
  /// port.
  package var isOpen: Bool { device.isConnected }
}
