package import Clocks
package import Ports
import Synchronization

/// Limits the connections that have not authenticated, of all listeners together.
package final class AdmissionControl: Sendable {
  private struct State {
    var pending = PendingConnections()
    var failures = AuthenticationThrottle()
    /// Closes each of the pending connections.
    var closings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds an accepted connection. If the origin has too many pending connections, the oldest of them is closed.
  ///
  /// - Parameter close: closes this connection, from any thread.
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

  /// Closes a connection of a listener that is full, if one is old enough.
  /// - Parameter isMember: whether a connection belongs to that listener.
  package func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) {
    let close = state.withLock { state in
      state.pending.makeRoom(at: now, among: isMember).flatMap { state.closings.removeValue(forKey: $0) }
    }
    close?()
  }

  /// Adds a connection whose authentication has become void.
  /// - Returns: false if there is no room.
  package func restore(
    _ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.pending.restore(number, from: origin, at: now) else { return false }
      state.closings[number] = close
      return true
    }
  }

  /// Notes a failed authentication.
  /// - Parameter number: of the connection, which stays pending until it ends; nil if it is not pending.
  /// - Returns: the delay of the answer.
  package func noteFailure(
    of number: UInt64? = nil, from origin: Peer.Origin, at now: MonotonicInstant
  ) -> Duration {
    state.withLock { state in
      if let number { state.pending.hold(number, from: origin) }
      return state.failures.note(from: origin, at: now)
    }
  }
}
