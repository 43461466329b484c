import GNSS

extension Cloak {
  /// The state of a `Cloak` (the algorithm for approximate positions) that must survive restarts and power loss, so
  /// that a position always gets the same answer.
  ///
  /// The state reveals the positions at which the device stayed, so the state is saved only encrypted, and before the
  /// disclosure of a fix. Without the saved state, the gateway must disclose no approximate fix, because another answer
  /// for the same home could be chosen.
  package struct Memory: Sendable, Equatable {
    let mechanism: Mechanism
    /// The disclosed point of the public lattice; nil before the first answer.
    var node: Node?
    /// The index of the 15-minute period of UTC in which `node` was chosen.
    var slot: Int64 = 0
    /// The present period of the schedule (`SlotSchedule`). The answer stays the same within one period.
    var present = SavedSlot()
    /// The position in the last 15-minute period; nil inside a zone with a constant answer. If the device is still at
    /// this position in the next period, a new zone with a constant answer begins.
    var candidate: Coordinate?
    /// The count of consecutive 15-minute periods below the travelling speed, counted while the lattice of 8 km is in
    /// use.
    var slowSlots: UInt8 = 0
    /// The zones with a constant answer around former stays, the least recently used first.
    var zones: [DwellZone] = []

    /// Creates the memory of a new device.
    package init(mechanism: Mechanism = .shared) { self.mechanism = mechanism }
  }
}

extension Cloak.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak.Memory(\(zones.count) zones)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
