import GNSS

extension Cloak {
  /// The state of a `Cloak` (the algorithm for approximate positions) that must survive restarts and power loss, so
  /// that a position always gets the same answer.
  ///
  /// The state reveals where the device stayed. The gateway therefore saves the state only with encryption, and before
  /// the disclosure of a fix. Without the saved state, the gateway must disclose no approximate fix, because the same
  /// home could get a second answer.
  package struct Memory: Sendable, Equatable {
    let mechanism: Mechanism
    /// The disclosed point of the public lattice; nil before the first answer.
    var node: Node?
    /// The disclosed point for apps that need no press of the button; nil if there is no valid point. A press changes
    /// `node` at once, but this point changes only when a slot (a period with one answer) begins.
    var inForce: Node?
    /// The index of the slot (a period of about 15 minutes) in which `node` was chosen, counted from 1970.
    var slot: Int64 = 0
    /// The present slot of the schedule (`SlotSchedule`), a period in which the answer stays the same.
    var present = SavedSlot()
    /// The position in the latest 15-minute period, if this position is outside all zones; otherwise nil. If the device
    /// is still at this position in the next period, a new zone with a constant answer begins.
    var candidate: Coordinate?
    /// The count of consecutive 15-minute periods at low speed since the device travelled. The count is used only with
    /// the lattice of 8 km.
    var slowSlots: UInt8 = 0
    /// The zones (circles with one constant answer) where the device stayed, the least recently used first.
    var zones: [DwellZone] = []

    package init(mechanism: Mechanism = .shared) { self.mechanism = mechanism }
  }
}

extension Cloak.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak.Memory(\(zones.count) zones)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
