import Base
import GNSS

/// The encoding of the memory of `Cloak` (the algorithm for approximate positions) as bytes. Numbers are big-endian.
/// The size of each field in bytes is in parentheses.
///
/// - the version, which is the raw value of the mechanism (1)
/// - 0 if the memory has no answer; the encoding then ends here. Otherwise 2, or 3 if the node in force is not the
///   answer, or 1 in an encoding of an earlier version, which does not contain the present slot (1)
/// - the present slot, a period in which the answer stays the same (`SavedSlot.encoded`)
/// - the answer's slot (8), lattice (1), row (4) and column (4)
/// - only after a 3: whether a node is in force, 0 or 1 (1); if so, its lattice (1), row (4) and column (4)
/// - whether the memory has a candidate, 0 or 1 (1); if so, latitude and longitude as IEEE 754 bits (8 each)
/// - the count of slow slots (1)
/// - the count of zones (1); for each zone the row and column of its cell, and the row and column of its node in the
///   lattice of 2 km (4 each)
extension Cloak.Memory {
  /// Returns the memory as bytes without encryption, at most 615 bytes.
  package func encoded() -> [UInt8] {
    var bytes = [mechanism.rawValue]
    bytes.append(node == nil ? 0 : inForce == node ? 2 : 3)
    guard let node else { return bytes }
    bytes += present.encoded
    bytes.appendBigEndian(slot)
    bytes += node.encoded
    if inForce != node {
      bytes.append(inForce == nil ? 0 : 1)
      if let inForce { bytes += inForce.encoded }
    }
    bytes.append(candidate == nil ? 0 : 1)
    if let candidate {
      bytes.appendBigEndian(candidate.latitude.bitPattern)
      bytes.appendBigEndian(candidate.longitude.bitPattern)
    }
    bytes.append(slowSlots)
    bytes.append(UInt8(zones.count))
    for zone in zones {
      for number in [zone.cell.row, zone.cell.column, zone.node.row, zone.node.column] { bytes.appendBigEndian(number) }
    }
    return bytes
  }

  package init?(encoded bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    guard let version: UInt8 = reader.number(), let mechanism = Mechanism(rawValue: version),
      let kind: UInt8 = reader.number(), kind <= 3
    else { return nil }
    let hasAnswer = kind > 0
    // A device that gave no answer yet gets the mechanism of a new device.
    self.init(mechanism: hasAnswer ? mechanism : .shared)
    if hasAnswer {
      guard let present = kind == 1 ? .unknown : SavedSlot(&reader) else { return nil }
      self.present = present
      guard let slot: Int64 = reader.number(), SlotSchedule.validNumbers.contains(slot), let node = reader.node() else {
        return nil
      }
      self.slot = slot
      self.node = node
      inForce = node
      if kind == 3 {
        guard let isInForce = reader.flag() else { return nil }
        inForce = nil
        if isInForce {
          guard let other = reader.node(), other != node else { return nil }
          inForce = other
        }
      }
      guard let hasCandidate = reader.flag() else { return nil }
      if hasCandidate {
        guard let candidate = reader.coordinate() else { return nil }
        self.candidate = candidate
      }
      guard let slowSlots: UInt8 = reader.number(), slowSlots < Cloak.slotsToSlowDown, let zones = reader.zones() else {
        return nil
      }
      self.slowSlots = slowSlots
      self.zones = zones
    }
    guard reader.bytes.isEmpty else { return nil }
  }
}

extension Node {
  fileprivate var encoded: [UInt8] {
    var bytes = [lattice.rawValue]
    bytes.appendBigEndian(row)
    bytes.appendBigEndian(column)
    return bytes
  }
}

extension BigEndianReader {
  fileprivate mutating func flag() -> Bool? {
    switch number() as UInt8? {
    case 0: false
    case 1: true
    default: nil
    }
  }

  fileprivate mutating func node() -> Node? {
    guard let raw: UInt8 = number(), let lattice = Lattice(rawValue: raw) else { return nil }
    return node(in: lattice)
  }

  private mutating func node(in lattice: Lattice) -> Node? {
    guard let row: Int32 = number(), let column: Int32 = number() else { return nil }
    return Node(checking: lattice, row: row, column: column)
  }

  fileprivate mutating func coordinate() -> Coordinate? {
    guard let latitude = decimal(), let longitude = decimal() else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  fileprivate mutating func zones() -> [DwellZone]? {
    guard let count: UInt8 = number(), count <= DwellZone.limit else { return nil }
    var zones: [DwellZone] = []
    var cells: Set<DwellCell> = []
    for _ in 0..<count {
      guard let row: Int32 = number(), let column: Int32 = number(),
        let cell = DwellCell(checkingRow: row, column: column), cells.insert(cell).inserted, let node = node(in: .near)
      else { return nil }
      zones.append(DwellZone(cell: cell, node: node))
    }
    return zones
  }
}
