import Synchronization

/// The elements of a sequence that wait for one reader. If the mailbox is full, a new element replaces the oldest
/// element.
final class Mailbox<Element: Sendable>: Sendable {
  /// The elements. The sequence ends after the reader has received all waiting elements, or if the reader's task is
  /// cancelled.
  let elements: AsyncThrowingStream<Element, any Error>
  private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
  private let hasNoReader = Atomic(false)

  init(capacity: Int) {
    (elements, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
  }

  func abandon() { hasNoReader.store(true, ordering: .relaxed) }

  var isAbandoned: Bool { hasNoReader.load(ordering: .relaxed) }

  func append(_ element: Element) { continuation.yield(element) }

  /// Ends the sequence, with an error or without one. Later calls have no effect.
  func finish(_ error: ClientError? = nil) { continuation.finish(throwing: error) }
}
