import Synchronization

/// The elements of a sequence that wait for one reader. If the mailbox is full, a new element replaces the oldest
/// element.
final class Mailbox<Element: Sendable>: Sendable {
  private enum End: Sendable {
    case open
    case finished
    case failed(ClientError)
  }

  private struct State {
    var elements: [Element] = []
    var end = End.open
    var reader: CheckedContinuation<Void, Never>?
    var isAbandoned = false
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = capacity }

  func abandon() { change { $0.isAbandoned = true } }

  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  func append(_ element: Element) {
    change { state in
      guard case .open = state.end else { return }
      if state.elements.count >= capacity { state.elements.removeFirst() }
      state.elements.append(element)
    }
  }

  /// Ends the sequence after the reader has received all waiting elements. Later calls have no effect.
  func finish(_ error: ClientError? = nil) {
    change { state in
      guard case .open = state.end else { return }
      state.end = error.map { .failed($0) } ?? .finished
    }
  }

  /// Waits for the next element. Returns nil at the end of the sequence, or if the task is cancelled.
  func next() async throws(ClientError) -> Element? {
    while !Task.isCancelled {
      let (element, end) = state.withLock { ($0.elements.isEmpty ? nil : $0.elements.removeFirst(), $0.end) }
      if let element { return element }
      switch end {
      case .open: await wait()
      case .finished: return nil
      case .failed(let error):
        // The sequence throws its error once, and then ends.
        state.withLock { $0.end = .finished }
        throw error
      }
    }
    return nil
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let isWorthIt = state.withLock { state in
          guard state.elements.isEmpty, case .open = state.end, !Task.isCancelled else { return false }
          state.reader = reader
          return true
        }
        if !isWorthIt { reader.resume() }
      }
    } onCancel: {
      change { _ in }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let reader = state.withLock { state in
      body(&state)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }
}
