package import Base
package import Ports
import Synchronization

/// A limiter of the pending connections of each origin (a user, or a machine). A connection is pending until its client
/// has authenticated. The limit applies to all listeners together.
package final class AdmissionControl: Sendable {
  private struct State {
    var pending = PendingConnections()
    var failures = AuthenticationThrottle()
    /// The functions that close the pending connections (without authentication). The key is the number of the
    /// connection.
    var closings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds an accepted connection. If the connection's origin (a user, or a machine) has too many connections without
  /// authentication, the function closes the oldest of these connections.
  ///
  /// - Parameter close: A function that closes the added connection. Any thread may call the function.
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

  /// Closes one pending connection (without authentication) at a full listener. Connections younger than 1 s stay open.
  ///
  /// - Parameter isMember: Returns whether the connection with a number belongs to the full listener.
  package func makeRoom(at now: MonotonicInstant, among isMember: (UInt64) -> Bool) {
    let close = state.withLock { state in
      state.pending.makeRoom(at: now, among: isMember).flatMap { state.closings.removeValue(forKey: $0) }
    }
    close?()
  }

  /// Counts a connection as pending (without authentication) again, after the gateway refused the client. Returns false
  /// if the origin (a user, or a machine) already has the maximum count of pending connections.
  package func restore(
    _ number: UInt64, from origin: Peer.Origin, at now: MonotonicInstant, close: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.pending.restore(number, from: origin, at: now) else { return false }
      state.closings[number] = close
      return true
    }
  }

  /// Records a failed authentication, and returns the delay of the gateway's reply.
  ///
  /// - Parameter number: The number of the connection; nil if the connection is not pending.
  package func noteFailure(
    of number: UInt64? = nil, from origin: Peer.Origin, at now: MonotonicInstant
  ) -> Duration {
    state.withLock { state in
      if let number { state.pending.hold(number, from: origin) }
      return state.failures.note(from: origin, at: now)
    }
  }
}
