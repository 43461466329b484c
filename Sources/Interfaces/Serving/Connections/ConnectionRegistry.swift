package import LineProtocol
package import NIOCore
import Ports
import Synchronization

/// The connections of one listener. A connection stays in the registry until the task for its protocol lines has ended.
package final class ConnectionRegistry: Sendable {
  private struct Entry {
    let channel: any Channel
    /// The connection; nil until the connection is ready. A TLS connection is ready after its handshake, and any other
    /// connection immediately.
    var connection: Connection?
    var task: Task<Void, Never>?
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var isClosed = false
    /// Whether a new task of a connection is cancelled immediately, because the listener is closing.
    var isCancelling = false
    /// The continuation of a call of `close` that waits until all connections are removed; nil without such a call.
    var closing: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  package func contains(_ number: UInt64) -> Bool { state.withLock { $0.entries[number] != nil } }

  /// Closes a connection, given by its number. If the TLS handshake is complete, the client first receives the error.
  package func refuse(_ number: UInt64, _ error: LineError) {
    guard let entry = state.withLock({ $0.entries[number] }) else { return }
    if let connection = entry.connection { connection.refuse(error) } else { entry.channel.close(promise: nil) }
  }

  /// Adds an accepted connection to the registry. Returns false if the listener is closing, and the registry accepts no
  /// connections.
  package func add(_ number: UInt64, _ channel: any Channel) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.entries[number] = Entry(channel: channel) }
      return !state.isClosed
    }
  }

  /// Stores a connection that is ready. A TLS connection is ready after its handshake. Other connections are ready
  /// immediately.
  package func update(_ connection: Connection) {
    state.withLock { $0.entries[connection.number]?.connection = connection }
  }

  /// Records the task that processes the protocol lines of a connection; nil if no task is running.
  package func update(_ task: Task<Void, Never>?, for number: UInt64) {
    let isCancelling = state.withLock { state in
      state.entries[number]?.task = task
      return state.isCancelling
    }
    if isCancelling { task?.cancel() }
  }

  package func remove(_ number: UInt64) {
    let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.entries[number] = nil
      guard state.entries.isEmpty else { return nil }
      defer { state.closing = nil }
      return state.closing
    }
    closing?.resume()
  }

  /// Sends an error to all clients, closes all connections, and waits until all connections are removed.
  package func close(_ error: LineError) async {
    let entries = state.withLock { state in
      state.isClosed = true
      return state.entries
    }
    await withDiscardingTaskGroup { group in
      for entry in entries.values {
        // A connection that is not ready cannot transmit the error.
        guard let connection = entry.connection else {
          entry.channel.close(promise: nil)
          continue
        }
        group.addTask { await connection.close(error) }
      }
    }
    // All connections are closed, so the results of running commands are not needed.
    let left = state.withLock { state in
      state.isCancelling = true
      return state.entries.values
    }
    for entry in left { entry.task?.cancel() }
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.entries.isEmpty { state.closing = continuation }
        return state.entries.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}
