import Synchronization

/// The buffer of one reader of a sequence. If the buffer is full, a new element replaces the oldest element.
final class Mailbox<Element: Sendable>: Sendable {
  /// The sequence for the reader. After `finish`, the sequence delivers the buffered elements before the end.
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

  /// Ends the sequence. If `error` is not nil, the sequence throws the error at its end. Later calls have no effect.
  func finish(_ error: ClientError? = nil) { continuation.finish(throwing: error) }
}
