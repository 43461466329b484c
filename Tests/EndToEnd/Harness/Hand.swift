import Foundation
import Requirements
import Testing

/// Runs a function on a thread of its own. A long computation on a thread of the tasks would delay the other tests.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// A hand at the button of a gateway with a simulated board. The hand has a thread of its own for each call: while other
/// tests of this process compute, a task can wait for longer than a question to the user lasts.
struct Hand: Sendable {
  let ownerSocket: String

  /// Executes a command of an owner on a connection of its own.
  /// - Returns: The fields of the reply.
  func perform(_ command: String) async throws -> [String: String] {
    try await onThread { try reply(to: command) }
  }

  /// Presses until a condition holds.
  /// - Parameters:
  ///   - condition: The condition, in words, for the error.
  ///   - isDone: Whether the condition holds after a press with this effect. The effect is nil before the first press.
  func press(_ condition: String, until isDone: @escaping @Sendable (_ effect: String?) -> Bool) async throws {
    try await onThread {
      let (start, patience) = (ContinuousClock.now, Patience())
      var effect: String?
      while !isDone(effect) {
        guard !patience.hasEnded else {
          throw TimedOut(
            what: condition, limit: ContinuousClock.now - start, seen: "a press with \(effect ?? "no effect")")
        }
        effect = try reply(to: "PRESS")["effect"]
      }
    }
  }

  private func reply(to command: String) throws -> [String: String] {
    let owner = try RawSocket.connect(ownerSocket)
    owner.send("HELLO 1\n\(command)\nBYE\n")
    let (start, patience) = (ContinuousClock.now, Patience())
    var text = ""
    while true {
      if owner.isReadable(within: 1000) {
        let received = owner.receive()
        if received.isEmpty { break }
        text += received
      } else if patience.hasEnded {
        throw TimedOut(what: "the reply to \(command)", limit: ContinuousClock.now - start, seen: text)
      }
    }
    let replies = text.split(separator: "\n").filter { $0.hasPrefix("+OK") || $0.hasPrefix("-ERR") }
    try #require(replies.count > 1 && replies[1].hasPrefix("+OK"), "\(text)")
    let pairs = replies[1].split(separator: " ").dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
    return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { first, _ in first }
  }
}
