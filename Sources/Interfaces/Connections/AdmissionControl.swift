package import Clocks
package import Ports
import Synchronization

/// Limits the number of connections that have not authenticated yet. These connections are called *pending*. The limits
/// cover all listeners together.
package final class AdmissionControl: Sendable {
  private struct State {
    var pending = PendingConnections()
    var failures = AuthenticationThrottle()
    /// The function that closes each pending connection. The key is the number of the connection.
    var closings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a connection that a listener accepted. If the origin of the connection has too many pending connections, the
  /// function closes the oldest pending connection of this origin.
  ///
  /// - Parameter close: Closes this connection. Any thread may call it.
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

  /// Closes one pending connection of a listener that is full. The function closes no connection if every pending
  /// connection is younger than 1 s.
  ///
  /// - Parameter isMember: Returns whether the connection with the given number belongs to the full listener.
  package func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) {
    let close = state.withLock { state in
      state.pending.makeRoom(at: now, among: isMember).flatMap { state.closings.removeValue(forKey: $0) }
    }
    close?()
  }

  /// Adds a connection again after the service refused its authenticated client. The client may then send another
  /// HELLO.
  ///
  /// - Returns: False if the origin already has the maximum number of pending connections.
  package func restore(
    _ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.pending.restore(number, from: origin, at: now) else { return false }
      state.closings[number] = close
      return true
    }
  }

  /// Records a failed authentication.
  ///
  /// - Parameter number: The number of the pending connection, which then stays pending until it ends; nil if the
  ///   connection is not pending.
  /// - Returns: The time to wait before the gateway answers.
  package func noteFailure(
    of number: UInt64? = nil, from origin: Peer.Origin, at now: MonotonicInstant
  ) -> Duration {
    state.withLock { state in
      if let number { state.pending.hold(number, from: origin) }
      return state.failures.note(from: origin, at: now)
    }
  }
}
