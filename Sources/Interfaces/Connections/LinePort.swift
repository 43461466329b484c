package import NIOCore
import Ports

/// An open serial port that carries lines. The port closes when the last reference to it ends.
///
/// Guaranteed: the port sends the bytes of a channel in order, and stays open after a channel ends. Not guaranteed:
/// that a device is connected to the port, or that it receives the bytes without errors.
package protocol LinePort: Sendable {
  /// The speed of the port, in bits per second.
  var speed: Int { get }

  /// Returns a new channel on the port.
  ///
  /// - Parameter wrap: Adds the handlers to the channel.
  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer>

  /// Drops the bytes that were written to the port's buffer and that the port has not transmitted.
  func flushOutput()

  /// The number of bytes that were written and that the port has not transmitted, as far as the device reports this
  /// number.
  var unsent: Int { get }

  /// Whether the device of the port still exists. If it does not, the gateway must open the port again.
  var isOpen: Bool { get }
}

/// The state of the output buffer of a serial port.
///
/// The buffer has room for kilobytes, whose transmission takes seconds. The gateway therefore writes lines at the speed
/// of the port, at most 50 ms ahead of the transmission. All other lines wait in the connection's queue, where they can
/// still be dropped or recalled.
package struct PortOutput {
  /// The maximum time by which the gateway writes ahead of the transmission. On a loaded machine a timer may be late by
  /// about this time.
  static let ahead = TimeAmount.milliseconds(50)

  private let port: any LinePort
  /// The instant at which the port will have transmitted all written bytes, computed from its speed.
  private var left: NIODeadline = .distantPast
  /// The kinds of fixes that were written since the buffer was last empty.
  private var fixes: FixKinds = []
  /// The timer that ends the pause before the next write; nil if a write is allowed now.
  var pause: Scheduled<Void>?

  package init(_ port: any LinePort) { self.port = port }

  /// Records that bytes were written to the buffer.
  ///
  /// - Returns: The time until the next write is allowed; nil if a write is allowed now.
  mutating func noteWritten(_ count: Int, _ kinds: FixKinds, at now: NIODeadline) -> TimeAmount? {
    if isEmpty(at: now) { fixes = [] }
    fixes.formUnion(kinds)
    // A serial port sends ten bits for each byte: a start bit, eight data bits and a stop bit.
    left = max(left, now) + .nanoseconds(Int64(count) * 10_000_000_000 / Int64(port.speed))
    let pause = left - now - Self.ahead
    return pause > .zero ? pause : nil
  }

  /// Drops all bytes in the buffer if the buffer may contain fixes of these kinds.
  ///
  /// - Returns: Whether bytes were dropped. If so, the port may have sent only a part of a line.
  func drop(_ kinds: FixKinds, at now: NIODeadline) -> Bool {
    guard !isEmpty(at: now), !fixes.isDisjoint(with: kinds) else { return false }
    port.flushOutput()
    return true
  }

  private func isEmpty(at now: NIODeadline) -> Bool { left <= now && port.unsent == 0 }
}
