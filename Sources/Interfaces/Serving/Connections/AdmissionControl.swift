package import Base
package import Ports
import Synchronization

/// Limits the number of pending connections of each origin. A connection is pending until its client has authenticated.
/// One limit applies to the connections of all listeners together.
package final class AdmissionControl: Sendable {
  private struct State {
    var pending = PendingConnections()
    var failures = AuthenticationThrottle()
    /// The functions that close the pending connections, by connection number.
    var closings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds an accepted connection. If the connection's origin has too many pending connections, the origin's oldest
  /// pending connection is closed. `close` closes the added connection, and may be called on any thread.
  package func add(
    _ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) {
    let closeOldest = state.withLock { state in
      state.closings[number] = close
      return state.pending.add(number, from: origin, at: now).flatMap { state.closings.removeValue(forKey: $0) }
    }
    closeOldest?()
  }

  package func remove(_ number: UInt64, from origin: Peer.Origin) {
    state.withLock { state in
      state.pending.remove(number, from: origin)
      state.closings[number] = nil
    }
  }

  /// Closes one pending connection of a full listener. Closes no connection if all pending connections of this listener
  /// are younger than 1 s. `isMember` returns whether the connection with a number belongs to the full listener.
  package func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) {
    let close = state.withLock { state in
      state.pending.makeRoom(at: now, among: isMember).flatMap { state.closings.removeValue(forKey: $0) }
    }
    close?()
  }

  /// Makes a connection pending again after the gateway refused the client's command HELLO. The client may then send
  /// another HELLO. Returns false if the origin already has the maximum number of pending connections.
  package func restore(
    _ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.pending.restore(number, from: origin, at: now) else { return false }
      state.closings[number] = close
      return true
    }
  }

  /// Records a failed authentication, and returns the time by which the gateway must delay its answer.
  ///
  /// - Parameter number: The number of the pending connection; nil if the connection is not pending.
  package func noteFailure(
    of number: UInt64? = nil, from origin: Peer.Origin, at now: MonotonicInstant
  ) -> Duration {
    state.withLock { state in
      if let number { state.pending.hold(number, from: origin) }
      return state.failures.note(from: origin, at: now)
    }
  }
}
