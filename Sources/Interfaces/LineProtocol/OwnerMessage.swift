/// A message of the gateway to owners, as one JSON object. The gateway and the owner's programs use the same list of
/// members, the gateway to write the message and the programs to read it.
package protocol OwnerMessage: Sendable {
  /// Creates a message without values. Each member that is not optional has an empty value.
  init()

  /// The members in the order of the JSON object.
  static var members: [MessageMember<Self>] { get }
}

/// A member of a message: its name, and the property with its value.
package struct MessageMember<Message>: Sendable {
  package let name: String
  /// Returns the value as text without quotation marks; nil if the message omits the member.
  package let text: @Sendable (Message) -> String?
  fileprivate let write: @Sendable (Message, inout TextBuffer) -> Void
  fileprivate let read: @Sendable (inout Message, JSONValue) throws(JSONMemberError) -> Void

  /// Creates a member that each message has. A reader ignores a message without this member.
  init<Value: JSONWritable & JSONReadable>(
    _ name: String, _ property: any WritableKeyPath<Message, Value> & Sendable
  ) {
    self.name = name
    text = { "\($0[keyPath: property])" }
    write = { $1.add(name, $0[keyPath: property]) }
    read = { message, json throws(JSONMemberError) in message[keyPath: property] = try json.member(name) }
  }

  /// Creates a member that a message can omit.
  init<Value: JSONWritable & JSONReadable>(
    _ name: String, _ property: any WritableKeyPath<Message, Value?> & Sendable
  ) {
    self.name = name
    text = { $0[keyPath: property].map { "\($0)" } }
    write = { $1.add(name, $0[keyPath: property]) }
    read = { message, json throws(JSONMemberError) in message[keyPath: property] = try json.member(name) }
  }
}

extension OwnerMessage {
  /// Reads a message. Unknown members are ignored. Returns nil if the text is not JSON, a member is missing or the type
  /// of a value is wrong.
  package init?(json: String) {
    guard let object = JSONValue(json.utf8) else { return nil }
    self.init()
    do throws(JSONMemberError) { for member in Self.members { try member.read(&self, object) } } catch { return nil }
  }

  package var json: String {
    var buffer = TextBuffer()
    buffer.beginObject()
    for member in Self.members { member.write(self, &buffer) }
    buffer.endObject()
    return buffer.text
  }

  /// Returns the JSON text of a message whose values the function sets.
  package static func json(_ setValues: (inout Self) -> Void) -> String {
    var message = Self()
    setValues(&message)
    return message.json
  }
}
