import GNSS

extension Cloak {
  /// What the cloak must not forget: through restarts and power loss the same answer comes from the same place.
  ///
  /// It tells where the device stayed. Keep it only sealed, write it before the fix is handed out, and where it cannot be
  /// read disclose nothing: a cloak that begins anew may choose other nodes for the same home.
  package struct Memory: Sendable, Equatable {
    /// The answer in force; nil before the first.
    var node: Node?
    /// The number of the slot that it was evaluated in.
    var slot: Int64 = 0
    /// Where the last evaluated slot found the device, if outside every zone.
    var candidate: Coordinate?
    /// Slots in a row without travelling speed, counted while the far lattice is in force.
    var slowSlots: UInt8 = 0
    /// Least recently used first.
    var zones: [DwellZone] = []

    /// Of a device that never answered.
    package init() {}
  }
}

extension Cloak.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak.Memory(\(zones.count) zones)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
