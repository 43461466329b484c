import Ports

extension [Publication.Message] {
  /// The messages as bytes for the store. Each message consists of the length of its topic (2 bytes), the topic, the
  /// length of its payload (4 bytes), and the payload. Lengths are big-endian.
  var encoded: [UInt8] {
    flatMap { message in
      let topic = Array<UInt8>(message.topic.utf8)
      return Self.bytes(topic.count, 2) + topic + Self.bytes(message.payload.count, 4) + message.payload
    }
  }

  /// Parses encoded messages. Returns nil if the bytes are invalid or contain no message.
  init?(encoded bytes: [UInt8]) {
    self.init()
    var rest = bytes[...]
    func read(_ size: Int) -> [UInt8]? {
      let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= size + length else { return nil }
      defer { rest = rest.dropFirst(size + length) }
      return Array<UInt8>(rest.dropFirst(size).prefix(length))
    }
    while !rest.isEmpty {
      guard let topic = read(2), let payload = read(4) else { return nil }
      append(Publication.Message(topic: String(decoding: topic, as: UTF8.self), payload: payload))
    }
    if isEmpty { return nil }
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }
}
