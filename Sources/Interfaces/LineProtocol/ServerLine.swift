public import Base

/// A protocol line that the gateway sends to a client.
public enum ServerLine: Hashable, Sendable {
  /// INFO, the first protocol line on a connection: the properties and capabilities of the gateway.
  case info(Fields)
  /// The reply to an accepted command, with the tag of the command and the result.
  case ok(tag: String?, Fields)
  /// The reply to a rejected command or to a protocol line that is not a command.
  case error(LineError, tag: String?, Fields)
  /// A message on a topic, for example a fix.
  case message(Message)
  /// A request to send PONG or any other protocol line, which shows that the client still works.
  case ping
  /// The reply to PING, with the tag of the command PING.
  case pong(tag: String?)

  /// An ordered list of `key=value` pairs in a protocol line.
  public struct Fields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The `key=value` pairs, in the order of the protocol line.
    public var pairs: [Pair]

    /// A key and its value in a protocol line, for example `locked=true`.
    public struct Pair: Hashable, Sendable {
      /// The key: letters, digits and `-`, in lower case.
      public var key: String
      /// The value: one word without quotation marks. In the protocol line, `-` replaces spaces and control characters.
      public var value: String
    }

    /// Creates the `key=value` pairs from a dictionary literal, in the same order.
    public init(dictionaryLiteral elements: (String, String)...) {
      pairs = elements.map { Pair(key: $0.0, value: $0.1) }
    }

    /// The value of the first pair with this key; nil if no pair has the key. An assignment appends a pair after the
    /// removal of all pairs with the key.
    public subscript(key: String) -> String? {
      get { pairs.first { $0.key == key }?.value }
      set {
        pairs.removeAll { $0.key == key }
        if let newValue { pairs.append(Pair(key: key, value: newValue)) }
      }
    }
  }

  /// A message on a topic to which the client subscribed, or in reply to a command.
  public struct Message: Hashable, Sendable {
    /// The topic, for example `fix/once`.
    public var topic: String
    /// The id of the subscription, which the client chose; `-` if the message is part of a reply, and not of a
    /// subscription.
    public var sid: String
    /// The identifier that the client sends back in the command ACK; nil if the message needs no acknowledgement.
    public var id: Int?
    /// Whether the gateway sends the message again, because the client did not acknowledge the first copy.
    public var isRedelivered: Bool
    /// Whether the message is the present state of the topic, which the gateway sends at the beginning of a
    /// subscription.
    public var isRetained: Bool
    /// The content of the message: one JSON object without line ends.
    public var json: String

    /// Creates a message on a topic. By default, the message is new and needs no acknowledgement.
    public init(
      topic: String, sid: String, id: Int? = nil, isRedelivered: Bool = false, isRetained: Bool = false, json: String
    ) {
      self.topic = topic
      self.sid = sid
      self.id = id
      self.isRedelivered = isRedelivered
      self.isRetained = isRetained
      self.json = json
    }
  }

  /// The text of the protocol line, without the line end.
  public var line: String {
    var buffer = TextBuffer()
    write(to: &buffer)
    return buffer.text
  }

  /// Appends the text of the protocol line to a buffer, without the line end.
  public func write(to buffer: inout TextBuffer) {
    switch self {
    case .info(let fields):
      buffer.append("INFO")
      fields.write(to: &buffer)
    case .ok(let tag, let fields):
      buffer.append("+OK")
      buffer.append(" ", tag)
      fields.write(to: &buffer)
    case .error(let error, let tag, let fields):
      buffer.append("-ERR ")
      buffer.append(Int64(error.code.rawValue))
      buffer.append(" ", error.code.slug)
      buffer.append(" ", tag)
      fields.write(to: &buffer)
      buffer.append(" :", error.text)
    case .message(let message): message.write(to: &buffer)
    case .ping: buffer.append("PING")
    case .pong(let tag):
      buffer.append("PONG")
      buffer.append(" ", tag)
    }
  }
}

extension ServerLine.Fields {
  fileprivate func write(to buffer: inout TextBuffer) {
    for pair in pairs {
      buffer.append(" ", pair.key)
      buffer.append("=")
      buffer.append(word: pair.value)
    }
  }
}

extension ServerLine.Message {
  fileprivate func write(to buffer: inout TextBuffer) {
    buffer.append("MSG ", topic)
    buffer.append(" ", sid)
    buffer.append(" id=", id)
    if isRedelivered { buffer.append(" dup=1") }
    if isRetained { buffer.append(" ret=1") }
    buffer.append(" ", json)
  }
}

extension ServerLine {
  /// Parses a protocol line of the gateway, without its line end. Returns nil if this version does not support the
  /// line, or if the line is not UTF-8.
  public init?(parsing line: Span<UInt8>) {
    guard Words.hasControls(line) != nil else { return nil }
    var words = Words(line)
    guard let kind = words.next() else { return nil }
    switch words.text(kind) {
    case "INFO": self = .info(Fields(parsing: &words))
    case "PING": self = .ping
    case "PONG": self = .pong(tag: words.tag())
    case "+OK":
      let tag = words.tag()
      self = .ok(tag: tag, Fields(parsing: &words))
    case "-ERR":
      guard let word = words.next(), let code = words.number(word).flatMap(ErrorCode.init), words.next() != nil else {
        return nil
      }
      let tag = words.tag()
      let (fields, text) = Fields.parse(&words)
      self = .error(LineError(code, text), tag: tag, fields)
    case "MSG":
      guard let message = Message(parsing: &words) else { return nil }
      self = .message(message)
    default: return nil
    }
  }

  /// Parses a protocol line of the gateway, without its line end. Returns nil if this version does not support the
  /// line.
  public init?(parsing line: String) {
    self.init(parsing: line.utf8Span.span)
  }
}

extension ServerLine.Message {
  fileprivate init?(parsing words: inout Words) {
    guard let topic = words.next(), let sid = words.next() else { return nil }
    self.init(topic: words.text(topic), sid: words.text(sid), json: "")
    while let word = words.peek, ![UInt8(ascii: "{"), UInt8(ascii: "[")].contains(words.first(word)),
      let (key, value) = words.field()
    {
      if words.matches(key, "id") {
        id = words.number(value)
      } else if words.matches(key, "dup") {
        isRedelivered = words.matches(value, "1")
      } else if words.matches(key, "ret") {
        isRetained = words.matches(value, "1")
      }
    }
    json = words.text(words.remainder)
  }
}

extension ServerLine.Fields {
  fileprivate init(parsing words: inout Words) {
    self = Self.parse(&words).fields
  }

  /// Returns the `key=value` pairs of a protocol line, and the text after the first word that begins with a colon.
  fileprivate static func parse(_ words: inout Words) -> (fields: Self, text: String) {
    var fields: Self = [:]
    while let word = words.peek {
      if words.first(word) == UInt8(ascii: ":") { return (fields, words.text(words.remainder.dropFirst())) }
      guard let (key, value) = words.field() else { break }
      // A pair with an invalid key, or with a control character in its value, is ignored.
      let text = words.text(value)
      guard words.isToken(key), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { continue }
      fields[words.lowercased(key)] = text
    }
    return (fields, "")
  }
}
