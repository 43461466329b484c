import GNSS

extension Cloak {
  /// The state of a cloak that must survive restarts and power loss, so that the same place always gets the same
  /// answer.
  ///
  /// The memory reveals the places at which the device stayed. The caller saves it only encrypted, and before the
  /// caller discloses a fix. If the gateway cannot read the saved memory, it must disclose no approximate fix, because
  /// a cloak without its memory may choose another node for the same home.
  package struct Memory: Sendable, Equatable {
    /// The node of the current answer; nil before the first answer.
    var node: Node?
    /// The number of the slot in which the cloak chose the node of the current answer.
    var slot: Int64 = 0
    /// The position in the last evaluated slot; nil if a dwell zone contains that position. If the device is still at
    /// this position in the next slot, the cloak creates a dwell zone around it.
    var candidate: Coordinate?
    /// The number of consecutive slots below the travelling speed. The cloak counts them while it uses the lattice of 8
    /// km.
    var slowSlots: UInt8 = 0
    /// The dwell zones. The zone that was used least recently comes first.
    var zones: [DwellZone] = []

    /// Creates the memory of a new device, whose cloak never gave an answer.
    package init() {}
  }
}

extension Cloak.Memory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak.Memory(\(zones.count) zones)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
