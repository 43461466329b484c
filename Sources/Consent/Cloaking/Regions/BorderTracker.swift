import Base

/// The state of the decision whether the device is inside a circle. At least two fixes over at least 10 s must confirm
/// a new side, and no fix between them may contradict the new side (see `BorderEvidence`).
struct BorderTracker: Hashable, Sendable {
  struct Candidate: Hashable, Sendable {
    let side: Side
    /// The arrival time of the first fix that confirms `side`.
    let first: MonotonicInstant
    /// The arrival time of the latest fix that confirms `side`.
    var last: MonotonicInstant
  }

  /// The last confirmed side of the device (inside or outside); nil before the first confirmation.
  var side: Side?
  /// A possible new side of the device, which further fixes must confirm; nil if there is no such side.
  var candidate: Candidate?

  mutating func update(radius: Double, distance: Double, accuracy: Double, at arrived: MonotonicInstant) {
    let evidence = BorderEvidence(distance: distance, accuracy: accuracy, of: Border(radius: radius, from: side))
    if let candidate, evidence.contradicts(candidate.side) { self.candidate = nil }
    guard let newSide = Side.allCases.first(where: { $0 != side && evidence.confirms($0) }) else { return }
    guard var candidate, candidate.last <= arrived, arrived - candidate.last <= RegionMonitor.longestGap else {
      self.candidate = Candidate(side: newSide, first: arrived, last: arrived)
      return
    }
    candidate.last = arrived
    self.candidate = candidate
    if arrived - candidate.first >= RegionMonitor.dwell {
      side = newSide
      self.candidate = nil
    }
  }
}
