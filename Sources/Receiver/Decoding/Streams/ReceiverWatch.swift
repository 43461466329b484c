package import Base
package import GNSS

/// A monitor that detects attacks on the satellite signals, and receivers whose data contradicts itself. The monitor
/// does not change any position.
///
/// An attack has two signs. A u-blox receiver reports false signals (spoofing) or interference (jamming). Or the
/// position jumps farther than the speed and the accuracy allow.
package struct ReceiverWatch: Sendable {
  /// The time for which the receiver's report of an attack is valid. Receivers repeat the report with every position,
  /// or with every few positions.
  fileprivate static let verdictTime: Duration = .seconds(60)
  /// The time after a sudden change of the position for which all fixes are suspect. The position before or after the
  /// change may be false.
  private static let jumpTime: Duration = .seconds(60)

  private var spoofing = AttackVerdicts()
  private var jamming = AttackVerdicts()
  private var jumped: MonotonicInstant?
  private var detector = JumpDetector()
  private var consistency = ConsistencyCheck()
  /// The count of sudden changes of the position (jumps) since the start of the program.
  package private(set) var jumps = 0

  package init() {}

  /// Discards the data about the receiver, except `jumps`. Another receiver may be connected after the port was opened
  /// again.
  package mutating func reset() {
    let jumps = jumps
    self = ReceiverWatch()
    self.jumps = jumps
  }

  /// Adds the receiver's own report about jamming and spoofing.
  package mutating func receive(_ verdicts: SignalThreats, at now: MonotonicInstant) {
    spoofing.add(verdicts.spoofing, at: now)
    jamming.add(verdicts.jamming, at: now)
  }

  /// Adds an epoch (all data of one instant), and checks the position for a sudden change and the data for
  /// contradictions.
  package mutating func receive(_ epoch: borrowing Epoch) {
    if detector.isJump(epoch) {
      jumps += 1
      jumped = epoch.ended
    }
    consistency.update(epoch)
  }

  /// Returns the signs of jamming and spoofing at an instant.
  package func signals(at now: MonotonicInstant) -> SignalState {
    SignalState(
      spoofing: spoofing.worst(at: now), jamming: jamming.worst(at: now),
      hasJumped: jumped.map { now - $0 < Self.jumpTime } ?? false)
  }

  /// The present contradictions in the receiver's data, such as a wrong speed.
  package var defects: Set<ReceiverDefect> { consistency.defects }
}

/// The latest reports of the receiver about one kind of attack: jamming or spoofing.
private struct AttackVerdicts: Hashable, Sendable {
  /// The time of the latest report. The key is the reported threat level.
  private var latest: [SignalThreat: MonotonicInstant] = [:]

  mutating func add(_ verdict: SignalThreat?, at now: MonotonicInstant) {
    if let verdict { latest[verdict] = now }
  }

  /// Returns the highest threat level of the reports within the last minute.
  func worst(at now: MonotonicInstant) -> SignalThreat {
    latest.filter { now - $0.value < ReceiverWatch.verdictTime }.keys.max() ?? .unknown
  }
}

/// The signs of an attack on the satellite signals, from the receiver's own reports and from the gateway's checks.
package struct SignalState: Hashable, Sendable {
  /// The receiver's own report about false signals (spoofing).
  package var spoofing = SignalThreat.unknown
  /// The receiver's own report about interference (jamming).
  package var jamming = SignalThreat.unknown
  /// Whether the position has changed suddenly within the last minute, by more than the speed and the accuracy allow.
  package var hasJumped = false

  package init(spoofing: SignalThreat = .unknown, jamming: SignalThreat = .unknown, hasJumped: Bool = false) {
    self.spoofing = spoofing
    self.jamming = jamming
    self.hasJumped = hasJumped
  }

  /// The strongest reason why the fixes are suspect, in this order: spoofing, a sudden change of the position, jamming.
  /// The value is nil without a sign of an attack.
  package var suspicion: SignalSuspicion? {
    if spoofing >= .suspected { return .spoofing }
    if hasJumped { return .jump }
    return jamming >= .suspected ? .jamming : nil
  }

  /// The signs of an attack. The key is the kind of attack, and the value is whether there is a sign of this kind.
  package var signs: [String: Bool] {
    [
      SignalSuspicion.spoofing.rawValue: spoofing >= .suspected, SignalSuspicion.jump.rawValue: hasJumped,
      SignalSuspicion.jamming.rawValue: jamming >= .suspected,
    ]
  }

  /// The signs of an attack as words for the owner of the gateway. The array contains only `none` if the receiver
  /// reports that there is no attack, and is empty without such a report.
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
