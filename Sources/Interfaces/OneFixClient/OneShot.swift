import Synchronization

/// A promise for one value: the value is set once, and any number of tasks can wait for the value.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case open([CheckedContinuation<Value, Never>])
    case resolved(Value)
  }

  private let state = Mutex(State.open([]))

  package init() {}

  var isResolved: Bool { present != nil }

  var present: Value? { state.withLock { if case .resolved(let value) = $0 { value } else { nil } } }

  /// Sets the value, and resumes the waiting tasks. Later calls have no effect.
  package func resolve(_ value: Value) {
    let waiting: [CheckedContinuation<Value, Never>] = state.withLock { state in
      guard case .open(let waiting) = state else { return [] }
      state = .resolved(value)
      return waiting
    }
    for waiter in waiting { waiter.resume(returning: value) }
  }

  package var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          switch state {
          case .resolved(let value): return value
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
