/// What the gateway says in one line.
public enum ServerLine: Hashable, Sendable {
  /// The first line: what the gateway is and speaks.
  case info(Fields)
  /// A command was taken, with what there is to say.
  case ok(tag: String?, Fields)
  /// A command, or the line that it was to be, was refused.
  case error(LineError, tag: String?, Fields)
  /// News on a topic.
  case message(Message)
  /// To be answered by PONG, or any other line.
  case ping
  /// The answer to PING.
  case pong(tag: String?)

  /// `key=value` pairs in their order.
  public struct Fields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// In the order of the line.
    public var pairs: [Pair]

    /// One key with its value.
    public struct Pair: Hashable, Sendable {
      /// Letters, digits and `-`, in lower case.
      public var key: String
      /// What follows the `=`, unquoted: one word. Each space and control character in it is written as `-`.
      public var value: String
    }

    /// In the order in which they are written.
    public init(dictionaryLiteral elements: (String, String)...) {
      pairs = elements.map { Pair(key: $0.0, value: $0.1) }
    }

    /// The first value of a key; nil where there is none, or to take it away.
    public subscript(key: String) -> String? {
      get { pairs.first { $0.key == key }?.value }
      set {
        pairs.removeAll { $0.key == key }
        if let newValue { pairs.append(Pair(key: key, value: newValue)) }
      }
    }
  }

  /// News on a topic.
  public struct Message: Hashable, Sendable {
    /// As in `fix/once`.
    public var topic: String
    /// The subscription that it answers; `-` for a fix that was requested without one.
    public var sid: String
    /// Present where the gateway waits for an ACK.
    public var id: Int?
    /// Sent before, and not acknowledged.
    public var isRedelivered: Bool
    /// The state of the topic when it was subscribed.
    public var isRetained: Bool
    /// One object, on one line.
    public var json: String

    /// A message that is new, unless it is said otherwise.
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

  /// The line, without its line end.
  public var line: String {
    var buffer = TextBuffer()
    write(to: &buffer)
    return buffer.text
  }

  /// Appends the line, without its line end.
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
  /// Reads a line of the gateway, without its line end, where its bytes are; nil for one that this version does not
  /// know, and for one that is no text.
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

  /// Reads a line of the gateway; nil for one that this version does not know.
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

  /// The pairs, and what stands behind a word that begins with a colon.
  fileprivate static func parse(_ words: inout Words) -> (fields: Self, text: String) {
    var fields: Self = [:]
    while let word = words.peek {
      if words.first(word) == UInt8(ascii: ":") { return (fields, words.text(words.remainder.dropFirst())) }
      guard let (key, value) = words.field() else { break }
      // What is no key says nothing that anybody could ask for, and no line has control characters.
      let text = words.text(value)
      guard words.isToken(key), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { continue }
      fields[words.lowercased(key)] = text
    }
    return (fields, "")
  }
}
