package import Decoding

/// A simulated receiver: it reads frames, replies, and stores its settings.
package struct ConfiguredReceiver: Sendable {
  /// The payload of its reply to MON-VER.
  package var version: [UInt8]
  /// The keys that the receiver knows. Nil if it has no keys, so that it refuses CFG-VALSET.
  package var keys: Set<UInt32>?
  package var knowsLegacy = true
  /// Messages that the receiver does not know, although it knows CFG-MSG.
  package var unknownMessages: Set<UBXIdentifier> = []
  /// The frames that are lost in transmission, by their number from 0.
  package var lost: Set<Int> = []
  /// The time from a frame to its reply.
  package var delay: Duration = .milliseconds(10)

  package var values: [UInt32: UInt32] = [:]
  package var rates: [UBXIdentifier: UInt8] = [:]
  package var period: UInt16 = 1000
  package var dynamicModel: UInt8 = 0
  /// The settings of UART1, with output of NMEA only.
  package var port: [UInt8] = [1, 0, 0, 0, 0xD0, 0x08, 0, 0, 0x80, 0x25, 0, 0, 0x07, 0, 0x02, 0, 0, 0, 0, 0]
  /// GPS, SBAS and GLONASS enabled, and Galileo without channels.
  package var systems: [UInt8] = [
    0, 32, 32, 4, 0, 8, 16, 0, 1, 0, 1, 1, 1, 1, 3, 0, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 6, 8, 14, 0, 1, 0, 1, 1,
  ]
  package private(set) var received: [(UBXIdentifier, [UInt8])] = []

  package init(version: [UInt8], keys: Set<UInt32>? = nil) {
    self.version = version
    self.keys = keys
  }

  package typealias Answer = (UBXIdentifier, [UInt8])

  /// Reads the sent bytes, which are one frame or none.
  package mutating func read(_ bytes: [UInt8]) -> [Answer] {
    var scanner = FrameScanner()
    return scanner.frames(in: bytes).flatMap { take($0.0, $0.1) }
  }

  /// Applies a frame and returns the replies, which can be none.
  package mutating func take(_ identifier: UBXIdentifier, _ payload: [UInt8]) -> [Answer] {
    received.append((identifier, payload))
    guard !lost.contains(received.count - 1) else { return [] }
    return answers(to: identifier, payload)
  }

  private mutating func answers(to identifier: UBXIdentifier, _ payload: [UInt8]) -> [Answer] {
    switch (identifier.messageClass, identifier.id) {
    case (0x0A, 0x04): return [(.monVER, version)]
    case (0x06, 0x8A): return [acknowledge(identifier, set(payload))]
    case (0x06, _) where !knowsLegacy: return [acknowledge(identifier, false)]
    case (0x06, 0x00) where payload.isEmpty: return [(identifier, port), acknowledge(identifier, true)]
    case (0x06, 0x00):
      port = payload
      return [acknowledge(identifier, true)]
    case (0x06, 0x3E) where payload.isEmpty: return [(identifier, systems), acknowledge(identifier, true)]
    case (0x06, 0x3E):
      systems = payload
      return [acknowledge(identifier, true)]
    case (0x06, 0x01):
      let message = UBXIdentifier(payload[0], payload[1])
      guard !unknownMessages.contains(message) else { return [acknowledge(identifier, false)] }
      rates[message] = payload[2]
      return [acknowledge(identifier, true)]
    case (0x06, 0x08):
      period = UInt16(payload[0]) | UInt16(payload[1]) << 8
      return [acknowledge(identifier, true)]
    case (0x06, 0x24):
      dynamicModel = payload[2]
      return [acknowledge(identifier, payload[0] == 1 && payload[1] == 0)]
    default: return []
    }
  }

  private func acknowledge(_ identifier: UBXIdentifier, _ isAccepted: Bool) -> Answer {
    (isAccepted ? .ack : .nak, [identifier.messageClass, identifier.id])
  }

  /// Sets all keys, or none if one of them is unknown.
  private mutating func set(_ payload: [UInt8]) -> Bool {
    guard let keys, payload.count > 4, payload[0] == 0, payload[1] == 1 else { return false }
    var items: [UInt32: UInt32] = [:]
    var offset = 4
    func number(_ count: Int) -> UInt32 {
      (0..<count).reduce(0) { $0 | UInt32(payload[offset + $1]) << UInt32(8 * $1) }
    }
    while offset + 4 < payload.count {
      let key = number(4)
      offset += 4
      let size = [1: 1, 2: 1, 3: 2, 4: 4][Int(key >> 28)] ?? 0
      guard size > 0, offset + size <= payload.count, keys.contains(key) else { return false }
      items[key] = number(size)
      offset += size
    }
    guard offset == payload.count else { return false }
    values.merge(items) { $1 }
    return true
  }
}

extension ConfiguredReceiver {
  /// A receiver like the MAX-M10S, which is configured with these keys and refuses the older messages.
  package static func m10(keys: Set<UInt32>) -> ConfiguredReceiver {
    var receiver = ConfiguredReceiver(
      version: version("ROM SPG 5.10 (7b202e)", "000A0000", ["PROTVER=34.10", "MOD=MAX-M10S"]), keys: keys)
    receiver.knowsLegacy = false
    return receiver
  }

  /// A receiver like the NEO-M8N, which is configured with the older messages.
  package static var m8: ConfiguredReceiver {
    ConfiguredReceiver(
      version: version("EXT CORE 3.01 (111141)", "00080000", ["PROTVER=18.00", "MOD=NEO-M8N-0"]))
  }

  private static func version(_ software: String, _ hardware: String, _ extensions: [String]) -> [UInt8] {
    func field(_ text: String, _ width: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
    }
    return field(software, 30) + field(hardware, 10) + extensions.flatMap { field($0, 30) }
  }

  /// Simulates a power cycle, which resets the settings.
  package mutating func restart() {
    let fresh = ConfiguredReceiver(version: version)
    (values, rates, period, dynamicModel) = (fresh.values, fresh.rates, fresh.period, fresh.dynamicModel)
    (port, systems) = (fresh.port, fresh.systems)
  }
}
