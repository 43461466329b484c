package import Base
package import GNSS

/// A watch over the receiver's signals and positions. It detects attacks on the signals, and receivers whose data
/// contradicts itself. The watch changes no position.
///
/// An attack shows in two ways. A u-blox receiver reports false signals and interference. And the position jumps,
/// although the receiver's own speed and accuracy exclude the jump.
package struct ReceiverWatch: Sendable {
  /// The time for which a verdict counts. Receivers that give verdicts repeat them in every epoch, or in every few
  /// epochs.
  fileprivate static let verdictTime: Duration = .seconds(60)
  /// The time for which fixes are suspect after a jump. Nobody knows which of the two positions is false.
  private static let jumpTime: Duration = .seconds(60)

  private var spoofing = AttackVerdicts()
  private var jamming = AttackVerdicts()
  private var jumped: MonotonicInstant?
  private var detector = JumpDetector()
  private var consistency = ConsistencyCheck()
  /// The number of jumps since the start of the program.
  package private(set) var jumps = 0

  package init() {}

  /// Forgets the data of the receiver. Necessary after the port was opened again, because another receiver can be
  /// connected now.
  package mutating func reset() {
    let jumps = jumps
    self = ReceiverWatch()
    self.jumps = jumps
  }

  /// Processes the verdicts of a message.
  package mutating func receive(_ verdicts: SignalVerdicts, at now: MonotonicInstant) {
    spoofing.add(verdicts.spoofing, at: now)
    jamming.add(verdicts.jamming, at: now)
  }

  /// Processes an epoch.
  package mutating func receive(_ epoch: borrowing Epoch) {
    if detector.isJump(epoch) {
      jumps += 1
      jumped = epoch.ended
    }
    consistency.update(epoch)
  }

  /// Returns the state of the signals at an instant.
  package func signals(at now: MonotonicInstant) -> SignalState {
    SignalState(
      spoofing: spoofing.worst(at: now), jamming: jamming.worst(at: now),
      hasJumped: jumped.map { now - $0 < Self.jumpTime } ?? false)
  }

  /// The ways in which the receiver's data contradicts itself.
  package var defects: Set<ReceiverDefect> { consistency.defects }
}

/// The verdicts of all messages about one kind of attack.
private struct AttackVerdicts: Hashable, Sendable {
  /// The time of the latest report, by verdict.
  private var latest: [SignalThreat: MonotonicInstant] = [:]

  mutating func add(_ verdict: SignalThreat?, at now: MonotonicInstant) {
    if let verdict { latest[verdict] = now }
  }

  /// Returns the worst verdict that counts at an instant. A milder verdict does not end a worse one, so that a state
  /// that changes often is one suspicion.
  func worst(at now: MonotonicInstant) -> SignalThreat {
    latest.filter { now - $0.value < ReceiverWatch.verdictTime }.keys.max() ?? .unknown
  }
}

/// The signs of attacks on the satellite signals, for the owners.
package struct SignalState: Hashable, Sendable {
  /// The receiver's verdict about false signals.
  package var spoofing = SignalThreat.unknown
  /// The receiver's verdict about interference.
  package var jamming = SignalThreat.unknown
  /// Whether the position jumped in the last minute, and the receiver does not explain the jump.
  package var hasJumped = false

  package init(spoofing: SignalThreat = .unknown, jamming: SignalThreat = .unknown, hasJumped: Bool = false) {
    self.spoofing = spoofing
    self.jamming = jamming
    self.hasJumped = hasJumped
  }

  /// The reason why fixes are suspect; nil without a sign of an attack. If there are several reasons, the result is the
  /// first one of: false signals, a jump, interference.
  package var suspicion: SignalSuspicion? {
    if spoofing >= .suspected { return .spoofing }
    if hasJumped { return .jump }
    return jamming >= .suspected ? .jamming : nil
  }

  /// Whether each kind of attack has signs, by the word for the kind.
  package var signs: [String: Bool] {
    [
      SignalSuspicion.spoofing.rawValue: spoofing >= .suspected, SignalSuspicion.jump.rawValue: hasJumped,
      SignalSuspicion.jamming.rawValue: jamming >= .suspected,
    ]
  }

  /// The signs of an attack as words; `none` if the receiver gives a verdict and there is no sign; empty without a
  /// verdict.
  package var words: [String] {
    var words: [String] = []
    switch spoofing {
    case .suspected: words.append("spoofing-suspected")
    case .certain: words.append("spoofing")
    case .unknown, .none: break
    }
    if hasJumped { words.append("jump") }
    switch jamming {
    case .suspected: words.append("interference")
    case .certain: words.append("jamming")
    case .unknown, .none: break
    }
    return words.isEmpty && max(spoofing, jamming) == .none ? ["none"] : words
  }
}
