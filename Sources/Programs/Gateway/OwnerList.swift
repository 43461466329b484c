import LineProtocol
import Ports

/// The reply to a command that lists objects for an owner: a message for each object, and a last protocol line with the
/// number of messages.
struct OwnerList {
  /// The number of messages between two pauses for other work.
  private static let messagesAtOnce = 200

  let topic: Topic
  let count: Int
  /// Returns the object with this number as JSON; nil if the object does not exist any longer.
  let json: (Router, Int) -> String?
  /// Further fields of the last protocol line.
  var fields: ServerLine.Fields = [:]

  /// Sends the list. The gateway handles other inputs meanwhile, because there can be thousands of objects.
  func send(_ tag: String?, on connection: any ClientConnection, of gateway: isolated Gateway) async throws {
    var sent = 0
    for first in stride(from: 0, to: count, by: Self.messagesAtOnce) {
      if first > 0 { try await gateway.yield() }
      let router = gateway.router
      for number in first..<min(first + Self.messagesAtOnce, count) {
        guard let json = json(router, number) else { continue }
        connection.send(.message(.init(topic: topic.rawValue, sid: "-", json: json)))
        sent += 1
      }
    }
    var reply: ServerLine.Fields = ["count": "\(sent)"]
    reply.pairs += fields.pairs
    connection.send(.ok(tag: tag, reply))
  }
}

extension OwnerList {
  init(_ topic: Topic, _ objects: [String], _ fields: ServerLine.Fields = [:]) {
    self.init(topic: topic, count: objects.count, json: { objects[$1] }, fields: fields)
  }
}
