/// What the gateway says in one line.
public enum ServerLine: Hashable, Sendable {
  case info(Fields)
  case ok(tag: String?, Fields)
  case error(LineError, tag: String?, Fields)
  case message(Message)
  case ping
  case pong(tag: String?)

  /// `key=value` pairs in their order.
  public struct Fields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public var pairs: [Pair]

    public struct Pair: Hashable, Sendable {
      public var key: String
      public var value: String
    }

    public init(dictionaryLiteral elements: (String, String)...) {
      pairs = elements.map { Pair(key: $0.0, value: $0.1) }
    }

    public subscript(key: String) -> String? {
      get { pairs.first { $0.key == key }?.value }
      set {
        pairs.removeAll { $0.key == key }
        if let newValue { pairs.append(Pair(key: key, value: newValue)) }
      }
    }

    var text: String { pairs.map { " \($0.key)=\($0.value)" }.joined() }
  }

  /// News on a topic.
  public struct Message: Hashable, Sendable {
    public var topic: String
    /// The subscription that it answers; `-` for a fix that was requested without one.
    public var sid: String
    /// Present where the gateway waits for an ACK.
    public var id: Int?
    /// Sent before, and not acknowledged.
    public var isRedelivered: Bool
    /// The state of the topic when it was subscribed.
    public var isRetained: Bool
    public var json: String

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
    switch self {
    case .info(let fields): "INFO" + fields.text
    case .ok(let tag, let fields): "+OK" + ServerLine.text(tag) + fields.text
    case .error(let error, let tag, let fields):
      "-ERR \(error.code.rawValue) \(error.code.slug)\(ServerLine.text(tag))\(fields.text) :\(error.text)"
    case .message(let message):
      "MSG \(message.topic) \(message.sid)" + (message.id.map { " id=\($0)" } ?? "")
        + (message.isRedelivered ? " dup=1" : "") + (message.isRetained ? " ret=1" : "") + " \(message.json)"
    case .ping: "PING"
    case .pong(let tag): "PONG" + ServerLine.text(tag)
    }
  }

  private static func text(_ tag: String?) -> String { tag.map { " \($0)" } ?? "" }
}

extension ServerLine {
  /// Reads a line of the gateway, without its line end; nil for one that this version does not know.
  public init?(parsing line: String) {
    var words = Words(line)
    switch words.next() {
    case "INFO": self = .info(Fields(parsing: &words))
    case "PING": self = .ping
    case "PONG": self = .pong(tag: words.tag())
    case "+OK":
      let tag = words.tag()
      self = .ok(tag: tag, Fields(parsing: &words))
    case "-ERR":
      guard let number = words.next().flatMap({ Int($0) }), let code = ErrorCode(rawValue: number), words.next() != nil
      else { return nil }
      let tag = words.tag()
      let (fields, text) = Fields.parse(&words)
      self = .error(LineError(code, text), tag: tag, fields)
    case "MSG":
      guard let topic = words.next(), let sid = words.next() else { return nil }
      var message = Message(topic: String(topic), sid: String(sid), json: "")
      while let word = words.peek, word.first != "{", word.first != "[", let (key, value) = words.pair() {
        switch key {
        case "id": message.id = Int(value)
        case "dup": message.isRedelivered = value == "1"
        case "ret": message.isRetained = value == "1"
        default: break
        }
      }
      message.json = words.remainder
      self = .message(message)
    default: return nil
    }
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
      if word.first == ":" { return (fields, String(words.remainder.dropFirst())) }
      guard let (key, value) = words.pair() else { break }
      fields[key] = value
    }
    return (fields, "")
  }
}
