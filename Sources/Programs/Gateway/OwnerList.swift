import LineProtocol
import Ports

/// A list as the reply to a command of an owner: one message for each object, then a protocol line with the count of
/// messages.
struct OwnerList {
  /// The count of messages after which the gateway handles other inputs.
  private static let messagesAtOnce = 200

  let topic: Topic
  let count: Int
  /// Returns the object at an index as JSON; nil if the object no longer exists.
  let json: (Router, Int) -> String?
  /// More fields for the last protocol line of the list.
  var fields: ServerLine.Fields = [:]

  /// Sends the list. The gateway handles other inputs during the list, because there can be thousands of objects.
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
