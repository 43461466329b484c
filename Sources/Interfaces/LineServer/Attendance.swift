import LineProtocol
import NIOCore
import Synchronization

/// Who is at one place, from the moment that they come until nothing more is to be done for them.
final class Attendance: Sendable {
  private struct Guest {
    let channel: any Channel
    /// Nil before it is known who came.
    var connection: Connection?
    /// What is being done for it.
    var task: Task<Void, Never>?
  }

  private struct State {
    var guests: [UInt64: Guest] = [:]
    var isOver = false
    /// Nothing that is being done is waited for.
    var isHasty = false
    /// Waits for the last to leave.
    var closing: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func contains(_ number: UInt64) -> Bool { state.withLock { $0.guests[number] != nil } }

  /// Closes a connection, and says why if the connection can be written to already.
  func refuse(_ number: UInt64, _ error: LineError) {
    guard let guest = state.withLock({ $0.guests[number] }) else { return }
    if let connection = guest.connection { connection.refuse(error) } else { guest.channel.close(promise: nil) }
  }

  /// - Returns: false where the place is given up.
  func enter(_ number: UInt64, _ channel: any Channel) -> Bool {
    state.withLock { state in
      if !state.isOver { state.guests[number] = Guest(channel: channel) }
      return !state.isOver
    }
  }

  func meet(_ connection: Connection) { state.withLock { $0.guests[connection.number]?.connection = connection } }

  /// - Parameter task: nil where nothing is being done for it any more.
  func note(_ task: Task<Void, Never>?, for number: UInt64) {
    let isHasty = state.withLock { state in
      state.guests[number]?.task = task
      return state.isHasty
    }
    if isHasty { task?.cancel() }
  }

  func leave(_ number: UInt64) {
    let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.guests[number] = nil
      guard state.guests.isEmpty else { return nil }
      defer { state.closing = nil }
      return state.closing
    }
    closing?.resume()
  }

  /// Tells those that are there why, and returns once nothing is to be done for anybody.
  func end(_ error: LineError) async {
    let guests = state.withLock { state in
      state.isOver = true
      return state.guests
    }
    await withDiscardingTaskGroup { farewells in
      for guest in guests.values {
        // Who is too new to be told is not.
        guard let connection = guest.connection else {
          guest.channel.close(promise: nil)
          continue
        }
        farewells.addTask { await connection.close(error) }
      }
    }
    // What is done for those who have gone is not waited for longer than it takes by itself.
    let left = state.withLock { state in
      state.isHasty = true
      return state.guests.values
    }
    for guest in left { guest.task?.cancel() }
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.guests.isEmpty { state.closing = continuation }
        return state.guests.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}
