package import NIOCore
import Ports

/// A serial port that is open and carries lines. Its end gives it back.
///
/// Guaranteed: what a channel writes leaves in order; a channel that ends leaves the port open for the next.
/// Not guaranteed: that anybody is at its other end, or that what arrives is what was sent.
package protocol LinePort: Sendable {
  /// Bits per second.
  var speed: Int { get }

  /// What is read and written from now on.
  /// - Parameter wrap: what stands between the port and the channel.
  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer>

  /// Drops what was written and has not left.
  func flushOutput()

  /// Bytes that were written and have not left, as far as the device tells.
  var unsent: Int { get }

  /// Whether there is still a port: one that has gone has to be opened again.
  var isOpen: Bool { get }
}

/// What was written to a serial port and may not have left it.
///
/// A port takes kilobytes at once and sends them for seconds. So that what waits can still give way, or be recalled, it is
/// handed over at the speed of the line, and a little ahead of it.
package struct PortOutput {
  /// How far ahead: a loaded machine looks after it that much late.
  static let ahead = TimeAmount.milliseconds(50)

  private let port: any LinePort
  /// When, at the speed of the line, all of it will have left.
  private var left: NIODeadline = .distantPast
  /// Which fixes were written since it was last known to be empty.
  private var fixes: FixKinds = []
  /// Ends when more may be written; nil where that is now.
  var pause: Scheduled<Void>?

  package init(_ port: any LinePort) { self.port = port }

  /// - Returns: how long to wait before more is written.
  mutating func noteWritten(_ count: Int, _ kinds: FixKinds, at now: NIODeadline) -> TimeAmount? {
    if isEmpty(at: now) { fixes = [] }
    fixes.formUnion(kinds)
    // Ten bits for each byte: a start bit, eight of data, a stop bit.
    left = max(left, now) + .nanoseconds(Int64(count) * 10_000_000_000 / Int64(port.speed))
    let pause = left - now - Self.ahead
    return pause > .zero ? pause : nil
  }

  /// Drops everything that the port has not sent, where fixes of these kinds may be among it.
  /// - Returns: whether it did; then a line may have been cut in two.
  func drop(_ kinds: FixKinds, at now: NIODeadline) -> Bool {
    guard !isEmpty(at: now), !fixes.isDisjoint(with: kinds) else { return false }
    port.flushOutput()
    return true
  }

  private func isEmpty(at now: NIODeadline) -> Bool { left <= now && port.unsent == 0 }
}
