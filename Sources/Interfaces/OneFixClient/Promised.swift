import Synchronization

/// A value that comes once, perhaps before anybody waits for it.
final class Promised<Value: Sendable>: Sendable {
  private enum State {
    case open([CheckedContinuation<Value, Never>])
    case kept(Value)
  }

  private let state = Mutex(State.open([]))

  var isKept: Bool { present != nil }

  /// The value, where it has come.
  var present: Value? { state.withLock { if case .kept(let value) = $0 { value } else { nil } } }

  /// Only the first value counts.
  func keep(_ value: Value) {
    let waiting: [CheckedContinuation<Value, Never>] = state.withLock { state in
      guard case .open(let waiting) = state else { return [] }
      state = .kept(value)
      return waiting
    }
    for waiter in waiting { waiter.resume(returning: value) }
  }

  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          switch state {
          case .kept(let value): return value
          case .open(let waiting):
            state = .open(waiting + [continuation])
            return nil
          }
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}
