package import NIOCore
import Ports

/// An open serial port for the gateway's line protocol (commands and replies as text lines). The port closes with the
/// release of its last reference.
///
/// The port sends the bytes of a channel in order, and stays open after the channel ends. The device at the other end
/// may be missing, and bytes may be lost in transmission.
package protocol LinePort: Sendable {
  /// The speed of the serial port in bits per second.
  var speed: Int { get }

  /// Returns a new asynchronous channel on the serial port.
  /// - Parameter wrap: A function that adds the handlers to the NIO channel of the port, and returns the asynchronous
  ///   channel.
  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer>

  /// Discards the bytes that the serial port has accepted but not transmitted.
  func flushOutput()

  /// The count of bytes that the serial port has accepted but not transmitted; 0 if the device does not report this
  /// count.
  var unsent: Int { get }

  /// Whether the device of the serial port still exists. Otherwise the gateway must open the port again.
  var isOpen: Bool { get }
}

/// The estimated state of the output buffer of a serial port.
///
/// The buffer holds several kilobytes, whose transmission takes seconds. Newer protocol lines cannot replace lines in
/// the buffer. The gateway therefore writes at most 50 ms ahead of the transmission.
package struct PortOutput {
  /// The maximum transmission time of the bytes in the buffer. The gateway writes no further bytes while the
  /// transmission would take longer.
  static let ahead = TimeAmount.milliseconds(50)

  private let port: any LinePort
  /// The estimated instant at which the port has transmitted all written bytes.
  private var left: NIODeadline = .distantPast
  /// The kinds of fixes (one-time or continuous) that the buffer may contain: all kinds written since the buffer was
  /// last empty.
  private var fixes: FixKinds = []
  /// The timer that ends the pause before the next write; nil if a write is allowed now.
  var pause: Scheduled<Void>?

  package init(_ port: any LinePort) { self.port = port }

  /// Records that `count` bytes were written to the buffer. Returns the wait before the next write; nil if the next
  /// write is allowed now.
  mutating func noteWritten(_ count: Int, _ kinds: FixKinds, at now: NIODeadline) -> TimeAmount? {
    if isEmpty(at: now) { fixes = [] }
    fixes.formUnion(kinds)
    // A serial port sends ten bits for each byte: a start bit, eight data bits and a stop bit.
    left = max(left, now) + .nanoseconds(Int64(count) * 10_000_000_000 / Int64(port.speed))
    let pause = left - now - Self.ahead
    return pause > .zero ? pause : nil
  }

  /// Discards all bytes in the serial port's buffer if the buffer may contain a fix of the given kinds (one-time or
  /// continuous). A protocol line that is partly sent then loses its end.
  ///
  /// - Returns: Whether the function discarded the buffer.
  func drop(_ kinds: FixKinds, at now: NIODeadline) -> Bool {
    guard !isEmpty(at: now), !fixes.isDisjoint(with: kinds) else { return false }
    port.flushOutput()
    return true
  }

  private func isEmpty(at now: NIODeadline) -> Bool { left <= now && port.unsent == 0 }
}
