import GNSS

extension Cloak {
  /// The state of a cloak that must survive restarts and power loss, so that the same place always gets the same
  /// answer.
  ///
  /// It reveals where the device stayed. The caller keeps it only sealed, and saves it before it hands out the fix. If
  /// the memory cannot be read, the gateway must not disclose: a cloak without its memory may choose other nodes for
  /// the same home.
  package struct Memory: Sendable, Equatable {
    /// The current answer; nil before the first one.
    var node: Node?
    /// The number of the slot in which the node was evaluated.
    var slot: Int64 = 0
    /// The position in the last evaluated slot, if it was outside every zone.
    var candidate: Coordinate?
    /// The number of consecutive slots without travelling speed, counted while the far lattice is in use.
    var slowSlots: UInt8 = 0
    /// The dwell zones, the least recently used one first.
    var zones: [DwellZone] = []

    /// Creates the memory of a device that never answered.
    package init() {}
  }
}

extension Cloak.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak.Memory(\(zones.count) zones)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
