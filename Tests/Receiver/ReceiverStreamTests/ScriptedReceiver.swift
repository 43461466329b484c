import Base
@testable import Decoding
import Estimation

/// A receiver that answers like the dialogues in manuals and in public records. It ignores every other command.
struct ScriptedReceiver {
  /// The effect of a command on the output.
  enum Effect {
    case period(Int)
    case on([SentenceType])
    case off([SentenceType])
    /// A later command gets these answers.
    case answer(String, [String])
  }

  struct Row {
    var sent: String
    var answers: [String]
    var effects: [Effect]

    init(_ sent: String, _ answers: [String] = [], _ effects: Effect...) {
      (self.sent, self.answers, self.effects) = (sent, answers, effects)
    }
  }

  var rows: [Row]
  var period = 1000
  var on: Set<SentenceType> = [.gga, .rmc, .gsa, .gsv, .gll, .vtg]
  private(set) var received: [String] = []
  private var counts: [SentenceType: Double] = [:]

  init(_ rows: [Row]) { self.rows = rows }

  /// Processes commands. Returns the answers.
  mutating func read(_ bytes: [UInt8]) -> [String] {
    // The request for the version of a u-blox receiver is binary.
    let contents = String(decoding: bytes, as: UTF8.self).split(separator: "$").dropFirst(bytes.first == 0x24 ? 0 : 1)
      .map { String($0.prefix { $0 != "*" }) }
    return contents.flatMap { content -> [String] in
      received.append(content)
      guard let row = rows.first(where: { $0.sent == content }) else { return [] }
      for effect in row.effects { apply(effect) }
      return row.answers
    }
  }

  private mutating func apply(_ effect: Effect) {
    switch effect {
    case .period(let milliseconds): period = milliseconds
    case .on(let types): on.formUnion(types)
    case .off(let types): on.subtract(types)
    case .answer(let sent, let answers):
      for index in rows.indices where rows[index].sent == sent { rows[index].answers = answers }
    }
  }

  mutating func send(for duration: Duration) {
    for type in on { counts[type, default: 0] += duration / .milliseconds(period) }
  }

  var sentenceCounts: SentenceCounts { SentenceCounts(counts.mapValues { Int($0) }) }
}

/// Configures a receiver completely, and returns the setup.
func configured(_ receiver: inout ScriptedReceiver, _ settings: ReceiverSettings) -> ReceiverSetup {
  var setup = ReceiverSetup(settings)
  var now = at(0)
  configure(&setup, &receiver, setup.open(isSpeedKnown: true, at: now), at: &now)
  return setup
}

func configure(
  _ setup: inout ReceiverSetup, _ receiver: inout ScriptedReceiver, _ bytes: [UInt8], at now: inout MonotonicInstant
) {
  var outgoing = bytes
  for _ in 0..<1000 {
    var next: [UInt8] = []
    let answers = receiver.read(outgoing)
    if !answers.isEmpty { now = now + .milliseconds(20) }
    for answer in answers { next += setup.receive(answer, at: now) }
    guard next.isEmpty else {
      outgoing = next
      continue
    }
    guard let deadline = setup.nextDeadline else { return }
    receiver.send(for: deadline - now)
    now = deadline
    if setup.needsCounts { setup.receive(receiver.sentenceCounts) }
    outgoing = setup.pass(to: now)
  }
}

extension ReceiverSetup {
  /// Receives bytes as the gateway does: only an answer that the decoder passes on reaches the setup.
  mutating func receive(bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
    var pipeline = ReceiverPipeline(isLive: true, keepsAnswers: true)
    pipeline.consume(bytes, at: now)
    return pipeline.drainReplies().flatMap { receive($0, at: now) }
  }

  /// Receives a sentence that may be an answer.
  mutating func receive(_ content: String, at now: MonotonicInstant) -> [UInt8] {
    receive(bytes: sentence(content), at: now)
  }
}
