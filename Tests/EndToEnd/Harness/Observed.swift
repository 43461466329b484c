import Dispatch
import Requirements
import Synchronization

/// A value that changes while tests wait for a condition on it.
final class Observed<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var changes = 0
    var lastWaiter = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state: Mutex<State>

  init(_ value: Value) { state = Mutex(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  func change(_ body: (inout sending Value) -> Void) {
    let waiting = state.withLock { state in
      var value = state.value
      body(&value)
      state.value = value
      state.changes += 1
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Waits until the closure finds a result in the value.
  /// - Parameter limit: `Patience` by default.
  /// - Throws: `TimedOut` with the current value.
  func first<Found>(
    _ what: String, within limit: Duration? = nil, _ find: (Value) throws -> Found?
  ) async throws -> Found {
    let (start, patience) = (ContinuousClock.now, Patience())
    while true {
      let (value, changes) = state.withLock { ($0.value, $0.changes) }
      if let found = try find(value) { return found }
      let deadline = limit.map { start + $0 } ?? patience.deadline
      guard ContinuousClock.now < deadline else {
        throw TimedOut(what: what, limit: deadline - start, seen: "\(value)")
      }
      await change(after: changes, until: deadline)
    }
  }

  /// Returns at the next change or at the deadline.
  private func change(after changes: Int, until deadline: ContinuousClock.Instant) async {
    await withCheckedContinuation { continuation in
      let waiter: Int? = state.withLock { state in
        guard state.changes == changes else { return nil }
        state.lastWaiter += 1
        state.waiting[state.lastWaiter] = continuation
        return state.lastWaiter
      }
      guard let waiter else { return continuation.resume() }
      let seconds = (deadline - ContinuousClock.now) / .seconds(1)
      DispatchQueue.global().asyncAfter(deadline: .now() + max(0, seconds)) {
        self.state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
      }
    }
  }
}

/// The error of a wait whose condition was not met in time.
struct TimedOut: Error, CustomStringConvertible {
  var what: String
  var limit: Duration
  var seen: String

  var description: String { "waited \(limit) for \(what); there was: \(seen)" }
}

/// Polls a condition. For values without change notifications, such as files and other processes.
/// - Parameter limit: `Patience` by default.
func eventually<Found>(
  _ what: String, within limit: Duration? = nil, each interval: Duration = .milliseconds(20),
  _ find: () async throws -> Found?
) async throws -> Found {
  let (start, patience) = (ContinuousClock.now, Patience())
  let nothing = Observed(())
  while true {
    if let found = try await find() { return found }
    let deadline = limit.map { start + $0 } ?? patience.deadline
    guard ContinuousClock.now < deadline else {
      throw TimedOut(what: what, limit: deadline - start, seen: "nothing like it")
    }
    _ = try? await nothing.first("a moment", within: interval) { nil as Void? }
  }
}
