import Clocks
import Framing
import UBX

/// A receiver that is configured: it reads frames, answers, and remembers what it was set to.
struct ConfiguredReceiver {
  var version: Payload
  /// Keys that it knows; nil for none, so that CFG-VALSET is refused.
  var keys: Set<UInt32>?
  var knowsLegacy = true
  /// Messages that it does not know, though it knows CFG-MSG.
  var unknownMessages: Set<UBXIdentifier> = []
  /// Frames that get lost on the way, by their number from 0.
  var lost: Set<Int> = []
  /// From a frame to its answer.
  var delay: Duration = .milliseconds(10)

  var values: [UInt32: UInt32] = [:]
  var rates: [UBXIdentifier: UInt8] = [:]
  var period: UInt16 = 1000
  var dynamicModel: UInt8 = 0
  /// Of UART1, with output of NMEA alone.
  var port = Payload(20).with { payload in
    payload.put(UInt8(1), at: 0)
    payload.put(UInt32(0x8D0), at: 4)
    payload.put(UInt32(9600), at: 8)
    payload.put(UInt16(0x07), at: 12)
    payload.put(UInt16(0x02), at: 14)
  }.bytes
  /// GPS and SBAS on, Galileo without channels, GLONASS on.
  var systems: [UInt8] = [
    0, 32, 32, 4, 0, 8, 16, 0, 1, 0, 1, 1, 1, 1, 3, 0, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 6, 8, 14, 0, 1, 0, 1, 1,
  ]
  private(set) var received: [(UBXIdentifier, [UInt8])] = []

  init(version: Payload, keys: Set<UInt32>? = nil) {
    self.version = version
    self.keys = keys
  }

  typealias Answer = (UBXIdentifier, [UInt8])

  /// Reads what was sent, which is one frame or none.
  mutating func read(_ bytes: [UInt8]) -> [Answer] {
    var scanner = FrameScanner()
    var position = 0
    guard let frame = scanner.next(in: bytes.span, from: &position), case .ubx(let messageClass, let id) = frame.kind
    else { return [] }
    let identifier = UBXIdentifier(messageClass, id)
    let payload = Array(bytes[frame.content])
    received.append((identifier, payload))
    guard !lost.contains(received.count - 1) else { return [] }
    return answers(to: identifier, payload)
  }

  private mutating func answers(to identifier: UBXIdentifier, _ payload: [UInt8]) -> [Answer] {
    switch (identifier.messageClass, identifier.id) {
    case (0x0A, 0x04): return [(.monVER, version.bytes)]
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

  /// All keys or none.
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

/// Configures a receiver to the end, and tells how long that took.
func configure(_ settings: ReceiverSettings, _ receiver: inout ConfiguredReceiver) -> (ConfigurationReport, Duration) {
  var configurator = Configurator(settings)
  var now = at(0)
  var coming: [(due: MonotonicInstant, answer: ConfiguredReceiver.Answer)] = []
  func send(_ bytes: [UInt8], _ receiver: inout ConfiguredReceiver) {
    guard !bytes.isEmpty else { return }
    for answer in receiver.read(bytes) { coming.append((now + receiver.delay, answer)) }
  }
  send(configurator.start(at: now), &receiver)
  for _ in 0..<1000 where !configurator.isFinished {
    let deadline = configurator.nextDeadline ?? now
    if let first = coming.first, first.due < deadline {
      coming.removeFirst()
      now = first.due
      send(configurator.receive(first.answer.0, first.answer.1, at: now), &receiver)
    } else {
      now = deadline
      send(configurator.timePassed(at: now), &receiver)
    }
  }
  return (configurator.report, now - at(0))
}

extension Configurator {
  /// The same for an array: spans do not pass through the testing macros.
  mutating func receive(_ identifier: UBXIdentifier, _ payload: [UInt8], at now: MonotonicInstant) -> [UInt8] {
    receive(identifier, payload.span, at: now)
  }
}
