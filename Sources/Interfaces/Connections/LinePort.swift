package import NIOCore
import Ports

/// An open serial port over which the gateway and its clients exchange lines. The port closes when the last reference
/// to it is released.
///
/// The port sends the bytes of a channel in order, and stays open after a channel ends. There is no guarantee that a
/// device is connected to the port, or that the device receives the bytes without errors.
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

  /// The number of bytes that the gateway has written and the port has not transmitted yet. The number includes only
  /// the bytes that the device reports.
  var unsent: Int { get }

  /// Whether the device of the port still exists. If the device no longer exists, the gateway must open the port again.
  var isOpen: Bool { get }
}

/// The state of the output buffer of a serial port.
///
/// The buffer has room for several kilobytes, and their transmission takes seconds. The gateway therefore writes lines
/// at the speed of the port, at most 50 ms ahead of the transmission. All other lines wait in the connection's queue,
/// and the gateway can still drop or withdraw them there.
package struct PortOutput {
  /// The amount of data that the gateway writes ahead of the transmission, given as the time to transmit this data. A
  /// timer on a loaded machine can be late by about this time.
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

  /// Drops all bytes in the buffer if the buffer may contain fixes of the given kinds.
  ///
  /// - Returns: Whether bytes were dropped. If bytes were dropped, the port may have sent only a part of a line.
  func drop(_ kinds: FixKinds, at now: NIODeadline) -> Bool {
    guard !isEmpty(at: now), !fixes.isDisjoint(with: kinds) else { return false }
    port.flushOutput()
    return true
  }

  private func isEmpty(at now: NIODeadline) -> Bool { left <= now && port.unsent == 0 }
}
