package import NIOCore
import Ports

/// An open serial port that carries lines. It is closed when it is released.
///
/// Guaranteed: a channel's bytes leave in order; the port stays open after the end of a channel.
/// Not guaranteed: that there is a device at the other end, or that the bytes arrive undamaged.
package protocol LinePort: Sendable {
  /// Bits per second.
  var speed: Int { get }

  /// Returns a new channel on the port.
  /// - Parameter wrap: adds the handlers.
  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer>

  /// Drops the bytes that were written and have not left.
  func flushOutput()

  /// The number of bytes that were written and have not left, as far as the device reports it.
  var unsent: Int { get }

  /// Whether the device still exists. If not, the port has to be opened again.
  var isOpen: Bool { get }
}

/// The bytes in the buffer of a serial port.
///
/// The buffer holds kilobytes, which take seconds to send. The gateway writes lines at the speed of the port, only
/// slightly ahead of the transmission. Therefore waiting lines can still be dropped or recalled.
package struct PortOutput {
  /// The maximum lead over the transmission: the delay of a timer on a loaded machine.
  static let ahead = TimeAmount.milliseconds(50)

  private let port: any LinePort
  /// When all bytes will have left, at the speed of the line.
  private var left: NIODeadline = .distantPast
  /// The kinds of fixes that were written since the buffer was empty.
  private var fixes: FixKinds = []
  /// Ends the pause before the next write; nil if a write is allowed now.
  var pause: Scheduled<Void>?

  package init(_ port: any LinePort) { self.port = port }

  /// Notes that bytes were written.
  ///
  /// - Returns: the time until the next write is allowed; nil if it is allowed now.
  mutating func noteWritten(_ count: Int, _ kinds: FixKinds, at now: NIODeadline) -> TimeAmount? {
    if isEmpty(at: now) { fixes = [] }
    fixes.formUnion(kinds)
    // Ten bits for each byte: a start bit, eight of data, a stop bit.
    left = max(left, now) + .nanoseconds(Int64(count) * 10_000_000_000 / Int64(port.speed))
    let pause = left - now - Self.ahead
    return pause > .zero ? pause : nil
  }

  /// Drops all bytes in the buffer if it may hold fixes of these kinds.
  /// - Returns: whether bytes were dropped. Then a line may have been cut in two.
  func drop(_ kinds: FixKinds, at now: NIODeadline) -> Bool {
    guard !isEmpty(at: now), !fixes.isDisjoint(with: kinds) else { return false }
    port.flushOutput()
    return true
  }

  private func isEmpty(at now: NIODeadline) -> Bool { left <= now && port.unsent == 0 }
}
