import Base
import Decoding
import SimulatedUBlox

extension ConfiguredReceiver {
  init(version: Payload, keys: Set<UInt32>? = nil) {
    self.init(version: version.bytes, keys: keys)
  }
}

/// Configures a receiver completely. Returns the report and the duration.
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
  /// A variant for arrays, because the testing macros do not support spans.
  mutating func receive(_ identifier: UBXIdentifier, _ payload: [UInt8], at now: MonotonicInstant) -> [UInt8] {
    receive(identifier, payload.span, at: now)
  }
}
