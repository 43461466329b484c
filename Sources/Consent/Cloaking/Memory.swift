import GNSS

extension Cloak {
  /// The state of a cloak that must survive restarts and power loss, so that a position always gets the same answer.
  ///
  /// The memory reveals the positions at which the device stayed, so it is saved only encrypted, and before the
  /// disclosure of a fix. Without the saved memory, the gateway must disclose no approximate fix, because the cloak may
  /// choose another node for the same home.
  package struct Memory: Sendable, Equatable {
    let mechanism: Mechanism
    /// The node of the current answer; nil before the first answer.
    var node: Node?
    /// The number of the slot in which `node` was chosen, according to UTC.
    var slot: Int64 = 0
    /// The present slot of the cloak's schedule.
    var present = SavedSlot()
    /// The position in the last evaluated slot; nil inside a dwell zone. If the device is still at this position in the
    /// next slot, the position gets a dwell zone.
    var candidate: Coordinate?
    /// The number of consecutive slots below the travelling speed, counted while the lattice of 8 km is in use.
    var slowSlots: UInt8 = 0
    /// The dwell zones, the least recently used first.
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
