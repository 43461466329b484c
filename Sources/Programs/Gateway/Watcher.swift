/// A reader of the stream that `Gateway.changes` returns.
final class Watcher {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  func notify() { continuation.yield() }

  func finish() { continuation.finish() }
}
