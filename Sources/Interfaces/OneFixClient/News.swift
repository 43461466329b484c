/// News from the gateway, as they come.
///
/// ```swift
/// for try await state in client.indicator { show(state) }
/// ```
///
/// The gateway is asked for them when the first is waited for. Each loop has a buffer of its own, whose size its source
/// tells; where a loop is slower than the news, the oldest give way. The sequence goes on through lost connections. It
/// ends when the client is closed or the task is cancelled, and throws a `ClientError` where it cannot go on.
public struct News<Element: Sendable>: AsyncSequence, Sendable {
  /// What ends the sequence, unless its end is asked for.
  public typealias Failure = ClientError

  let open: @Sendable () async throws(ClientError) -> Mailbox<Element>
  let close: @Sendable (Mailbox<Element>) -> Void

  /// Waits for the news of one loop.
  public func makeAsyncIterator() -> Iterator { Iterator(listening: Listening(self)) }

  /// Where a loop is.
  public struct Iterator: AsyncIteratorProtocol {
    /// What ends the sequence, unless its end is asked for.
    public typealias Failure = ClientError

    let listening: Listening<Element>

    /// Waits for the next; nil at the end.
    public mutating func next() async throws(ClientError) -> Element? { try await listening.next() }

    /// Waits for the next; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> Element? {
      try await listening.next()
    }
  }
}

@available(*, unavailable)
extension News.Iterator: Sendable {}

/// A loop's mailbox, which is given up with the loop.
final class Listening<Element: Sendable> {
  private let news: News<Element>
  private var mailbox: Mailbox<Element>?

  init(_ news: News<Element>) { self.news = news }

  deinit { if let mailbox { news.close(mailbox) } }

  func next() async throws(ClientError) -> Element? {
    if Task.isCancelled { return nil }
    let mailbox: Mailbox<Element>
    if let opened = self.mailbox {
      mailbox = opened
    } else {
      do {
        mailbox = try await news.open()
      } catch .closed, .cancelled {
        return nil
      }
      self.mailbox = mailbox
    }
    return try await mailbox.next()
  }
}
