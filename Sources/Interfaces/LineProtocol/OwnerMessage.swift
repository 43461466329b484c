/// A message of the gateway to a program of an owner (administrator), as one JSON object. The gateway writes the
/// members in `members`, and the programs read the same members.
package protocol OwnerMessage: Sendable {
  init()

  /// The JSON members, in the order of the JSON object.
  static var members: [MessageMember<Self>] { get }
}

/// A member of the JSON object of a message: the name, and the Swift property with the value.
package struct MessageMember<Message>: Sendable {
  package let name: String
  /// A function that returns the value of the member as text without quotation marks; nil if the message has no value.
  package let text: @Sendable (Message) -> String?
  fileprivate let write: @Sendable (Message, inout TextBuffer) -> Void
  fileprivate let read: @Sendable (inout Message, JSONValue) throws(JSONMemberError) -> Void

  /// Creates a required member: a message without this member cannot be read.
  init<Value: JSONWritable & JSONReadable>(
    _ name: String, _ property: any WritableKeyPath<Message, Value> & Sendable
  ) {
    self.name = name
    text = { "\($0[keyPath: property])" }
    write = { $1.add(name, $0[keyPath: property]) }
    read = { message, json throws(JSONMemberError) in message[keyPath: property] = try json.member(name) }
  }

  /// Creates an optional member, for a property that can be nil.
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
  /// Reads a message from JSON. Unknown members are ignored. Returns nil if the text is not JSON, a required member is
  /// missing or a value has the wrong type.
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

  /// Returns the JSON text of a new message. The closure `setValues` sets the values of the message.
  package static func json(_ setValues: (inout Self) -> Void) -> String {
    var message = Self()
    setValues(&message)
    return message.json
  }
}
