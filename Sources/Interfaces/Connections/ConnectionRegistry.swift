package import LineProtocol
package import NIOCore
import Ports
import Synchronization

/// The connections of one listener, each from its acceptance until its last task has ended.
package final class ConnectionRegistry: Sendable {
  private struct Entry {
    let channel: any Channel
    /// Nil until the connection is ready: over TLS, until the handshake is complete.
    var connection: Connection?
    /// The task that performs the client's commands.
    var task: Task<Void, Never>?
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var isClosed = false
    /// Whether tasks are cancelled as soon as they begin.
    var isCancelling = false
    /// Waits for the last connection to be removed.
    var closing: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  package func contains(_ number: UInt64) -> Bool { state.withLock { $0.entries[number] != nil } }

  /// Closes a connection, and sends the reason if the connection is ready.
  package func refuse(_ number: UInt64, _ error: LineError) {
    guard let entry = state.withLock({ $0.entries[number] }) else { return }
    if let connection = entry.connection { connection.refuse(error) } else { entry.channel.close(promise: nil) }
  }

  /// Adds a connection that was accepted.
  /// - Returns: false if the listener is being closed.
  package func add(_ number: UInt64, _ channel: any Channel) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.entries[number] = Entry(channel: channel) }
      return !state.isClosed
    }
  }

  /// Notes that a connection is ready.
  package func update(_ connection: Connection) {
    state.withLock { $0.entries[connection.number]?.connection = connection }
  }

  /// Notes the task of a connection.
  /// - Parameter task: nil if the task has ended.
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

  /// Sends the reason to all clients, closes all connections, and returns when the last one was removed.
  package func close(_ error: LineError) async {
    let entries = state.withLock { state in
      state.isClosed = true
      return state.entries
    }
    await withDiscardingTaskGroup { group in
      for entry in entries.values {
        // A connection that is not ready cannot be written to.
        guard let connection = entry.connection else {
          entry.channel.close(promise: nil)
          continue
        }
        group.addTask { await connection.close(error) }
      }
    }
    // The clients have gone: their commands need no answer.
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
