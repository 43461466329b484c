import Base
import Ports

extension [Publication.Message] {
  /// The messages as bytes for the state store. Each message consists of the length of its topic (2 bytes), the topic,
  /// the length of its payload (4 bytes), and the payload. Lengths are big-endian.
  var encoded: [UInt8] {
    reduce(into: []) { bytes, message in
      bytes.append(message.topic.utf8, countedBy: UInt16.self)
      bytes.append(message.payload, countedBy: UInt32.self)
    }
  }

  /// Decodes messages from bytes. Returns nil if the bytes are invalid or contain no message.
  init?(encoded bytes: [UInt8]) {
    self.init()
    var reader = BigEndianReader(bytes)
    while !reader.bytes.isEmpty {
      guard let topic = reader.text(countedBy: UInt16.self), let payload = reader.list(countedBy: UInt32.self) else {
        return nil
      }
      append(Publication.Message(topic: topic, payload: Array<UInt8>(payload)))
    }
    if isEmpty { return nil }
  }
}
