import LineProtocol
import Ports

/// A list as the reply to a command of an owner (administrator): one message for each object, then a protocol line with
/// the count of messages.
struct OwnerList {
  /// The count of messages in one step. Between two steps, the gateway handles other events and commands.
  private static let messagesAtOnce = 200

  let topic: Topic
  let count: Int
  /// The function that returns the object at an index as JSON; nil if the object no longer exists.
  let json: (Router, Int) -> String?
  /// Additional fields of the last protocol line.
  var fields: ServerLine.Fields = [:]

  /// Sends the list in steps, because a list can have thousands of objects. Between two steps, the gateway handles
  /// other events and commands.
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
