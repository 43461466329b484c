package import Base
package import GNSS

/// A monitor of the receiver's data. The monitor detects attacks on the satellite signals, and receivers whose data
/// contradicts itself. The monitor does not change any position.
///
/// An attack has two signs. A u-blox receiver reports false signals (spoofing) or interference (jamming). Or the
/// position jumps farther than the speed and the accuracy allow.
package struct ReceiverWatch: Sendable {
  /// The time for which a report of the receiver about an attack is valid. Receivers repeat these reports with every
  /// position, or with every few positions.
  fileprivate static let verdictTime: Duration = .seconds(60)
  /// The time for which fixes are suspect after a jump of the position. Either of the two positions may be false.
  private static let jumpTime: Duration = .seconds(60)

  private var spoofing = AttackVerdicts()
  private var jamming = AttackVerdicts()
  private var jumped: MonotonicInstant?
  private var detector = JumpDetector()
  private var consistency = ConsistencyCheck()
  /// The count of jumps of the position since the start of the program.
  package private(set) var jumps = 0

  package init() {}

  /// Discards the data about the receiver, because another receiver may be connected after the port was opened again.
  /// The count of jumps is kept.
  package mutating func reset() {
    let jumps = jumps
    self = ReceiverWatch()
    self.jumps = jumps
  }

  /// Adds the receiver's own report about attacks.
  package mutating func receive(_ verdicts: SignalThreats, at now: MonotonicInstant) {
    spoofing.add(verdicts.spoofing, at: now)
    jamming.add(verdicts.jamming, at: now)
  }

  /// Adds the data of one instant, and checks it for a jump and for contradictions.
  package mutating func receive(_ epoch: borrowing Epoch) {
    if detector.isJump(epoch) {
      jumps += 1
      jumped = epoch.ended
    }
    consistency.update(epoch)
  }

  /// Returns the signs of an attack at an instant.
  package func signals(at now: MonotonicInstant) -> SignalState {
    SignalState(
      spoofing: spoofing.worst(at: now), jamming: jamming.worst(at: now),
      hasJumped: jumped.map { now - $0 < Self.jumpTime } ?? false)
  }

  /// The present contradictions in the receiver's data, such as a wrong speed.
  package var defects: Set<ReceiverDefect> { consistency.defects }
}

/// The receiver's latest reports about one kind of attack.
private struct AttackVerdicts: Hashable, Sendable {
  /// The time of the latest report of each threat level.
  private var latest: [SignalThreat: MonotonicInstant] = [:]

  mutating func add(_ verdict: SignalThreat?, at now: MonotonicInstant) {
    if let verdict { latest[verdict] = now }
  }

  /// Returns the highest threat level that the receiver has reported within the last minute. A later report of a lower
  /// level does not replace the higher level.
  func worst(at now: MonotonicInstant) -> SignalThreat {
    latest.filter { now - $0.value < ReceiverWatch.verdictTime }.keys.max() ?? .unknown
  }
}

/// The reports of the receiver and of the gateway's checks about false or disturbed satellite signals.
package struct SignalState: Hashable, Sendable {
  /// The receiver's own report about false signals (spoofing).
  package var spoofing = SignalThreat.unknown
  /// The receiver's own report about interference (jamming).
  package var jamming = SignalThreat.unknown
  /// Whether the position jumped within the last minute, farther than the receiver's speed and accuracy allow.
  package var hasJumped = false

  package init(spoofing: SignalThreat = .unknown, jamming: SignalThreat = .unknown, hasJumped: Bool = false) {
    self.spoofing = spoofing
    self.jamming = jamming
    self.hasJumped = hasJumped
  }

  /// The reason why the fixes are suspect; nil if there is no sign of an attack. Of several reasons, the value is the
  /// first in this order: spoofing, a jump, jamming.
  package var suspicion: SignalSuspicion? {
    if spoofing >= .suspected { return .spoofing }
    if hasJumped { return .jump }
    return jamming >= .suspected ? .jamming : nil
  }

  /// Whether there are signs of each kind of attack. The key is the name of the kind.
  package var signs: [String: Bool] {
    [
      SignalSuspicion.spoofing.rawValue: spoofing >= .suspected, SignalSuspicion.jump.rawValue: hasJumped,
      SignalSuspicion.jamming.rawValue: jamming >= .suspected,
    ]
  }

  /// The signs of an attack as words for the owner. The value is `none` if the receiver reports that there is no
  /// attack. The array is empty if the receiver makes no such report.
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
