/// A sequence of notifications from the gateway.
///
/// ```swift
/// for try await state in client.indicator { show(state) }
/// ```
///
/// The client subscribes to the notifications when a loop waits for its first element. Each loop has its own buffer of
/// 64 elements, which drops the oldest elements if the loop is too slow. The buffer of ``OneFixClient/updates(_:)`` has
/// only one element.
///
/// After a lost connection is restored, the sequence continues. The sequence ends when the client is closed or the task
/// is cancelled. If the sequence cannot continue for another reason, the sequence throws a `ClientError`.
public struct Notifications<Element: Sendable>: AsyncSequence, Sendable {
  /// The type of error with which the sequence can end.
  public typealias Failure = ClientError

  let open: @Sendable () async throws(ClientError) -> Mailbox<Element>
  let close: @Sendable (Mailbox<Element>) -> Void

  /// Creates an iterator with its own buffer for notifications.
  public func makeAsyncIterator() -> Iterator { Iterator(listening: Listening(self)) }

  /// The iterator of one loop over the notifications, with its own buffer.
  public struct Iterator: AsyncIteratorProtocol {
    /// The type of error with which the sequence can end.
    public typealias Failure = ClientError

    let listening: Listening<Element>

    /// Waits for the next notification. Returns nil at the end of the sequence.
    public mutating func next() async throws(ClientError) -> Element? { try await listening.next() }

    /// Waits for the next notification. Returns nil at the end of the sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> Element? {
      try await listening.next()
    }
  }
}

@available(*, unavailable)
extension Notifications.Iterator: Sendable {}

/// The buffer of one loop over a sequence of notifications. The deinitializer removes the buffer at the end of the
/// loop.
final class Listening<Element: Sendable> {
  private let notifications: Notifications<Element>
  private var mailbox: Mailbox<Element>?
  private var iterator: AsyncThrowingStream<Element, any Error>.Iterator?

  init(_ notifications: Notifications<Element>) { self.notifications = notifications }

  deinit { if let mailbox { notifications.close(mailbox) } }

  func next() async throws(ClientError) -> Element? {
    if Task.isCancelled { return nil }
    if mailbox == nil {
      do {
        mailbox = try await notifications.open()
      } catch .closed, .cancelled {
        return nil
      }
      iterator = mailbox?.elements.makeAsyncIterator()
    }
    do {
      return try await iterator?.next(isolation: #isolation)
    } catch {
      throw error as? ClientError ?? .connectionLost
    }
  }
}
