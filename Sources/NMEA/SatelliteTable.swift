import GNSS

/// The satellites in view, from the groups of sentences that report them, and which of them are used.
///
/// A receiver reports each system and signal as a group, not all of them in every epoch. A group stands until the next
/// one of its kind, or until it was missing three times where others were reported.
struct SatelliteTable: Sendable {
  private struct Group {
    /// Talker and signal.
    var key: UInt32
    var start: Int
    var count: Int
    /// The part that came last.
    var part: Int
    /// Epochs with other groups since this one came.
    var missed: Int
  }

  /// What was reported since the last merge.
  private var fresh: [Satellite] = []
  private var freshGroups: [Group] = []
  private var groups: [Group] = []

  /// Satellites used, one bit each, by system; and the systems that were told of.
  private var used = InlineArray<8, UInt64>(repeating: 0)
  private var told: UInt8 = 0
  private var usageChanged = false
  /// Whether the usage belongs to an epoch before this one.
  private var usageIsOld = true

  mutating func add(_ gsv: GSV) {
    let key = UInt32(gsv.talker.code) << 8 | UInt32(truncatingIfNeeded: gsv.signal ?? 255)
    // Without a part number it is one of its own.
    let part = gsv.part ?? 1
    let last = freshGroups.count - 1
    if last >= 0, freshGroups[last].key == key {
      if part <= freshGroups[last].part {
        fresh.removeLast(freshGroups[last].count)
        freshGroups[last].count = 0
      }
      freshGroups[last].part = part
      freshGroups[last].count += gsv.count
    } else {
      // A part that comes when its group is over tells nothing new.
      if freshGroups.contains(where: { $0.key == key }) { return }
      freshGroups.append(Group(key: key, start: fresh.count, count: gsv.count, part: part, missed: 0))
    }
    gsv.append(to: &fresh)
  }

  mutating func add(_ gsa: GSA, talker: Talker) {
    if usageIsOld {
      used = InlineArray(repeating: 0)
      told = 0
      usageIsOld = false
    }
    usageChanged = true
    let system = gsa.systemID.flatMap(SatelliteTable.constellation(ofSystem:)) ?? talker.constellation
    // A combined sentence without a system id tells of all.
    told |= system.map { 1 << UInt8($0.place) } ?? 0x7F
    if system == .gps { told |= 1 << UInt8(Constellation.sbas.place) }
    // The numbers 1...32 are all of the same system.
    if let constellation = SatelliteNumber.constellation(of: 1, systemID: gsa.systemID, talker: talker) {
      used[constellation.place] |= gsa.lowNumbers
    }
    guard gsa.hasHighNumbers else { return }
    gsa.forEachSatellite { number in
      guard let constellation = SatelliteNumber.constellation(of: number, systemID: gsa.systemID, talker: talker),
        let bit = SatelliteNumber.bit(of: number, at: constellation.place)
      else { return }
      used[constellation.place] |= bit
    }
  }

  /// Brings a list up to date at the end of an epoch.
  mutating func merge(into satellites: inout [Satellite]) {
    usageIsOld = true
    guard !freshGroups.isEmpty || usageChanged else { return }
    if !freshGroups.isEmpty { replace(&satellites) }
    if told != 0 {
      var list = satellites.mutableSpan
      for index in list.indices {
        let word = list[index].word & ~Satellite.usedBits
        list[index] = Satellite(word: word | usage(of: list[index]))
      }
    }
    usageChanged = false
  }

  private mutating func replace(_ satellites: inout [Satellite]) {
    for old in groups where old.missed < 2 {
      if freshGroups.contains(where: { $0.key == old.key }) { continue }
      var kept = old
      kept.start = fresh.count
      kept.missed += 1
      freshGroups.append(kept)
      for index in old.start..<old.start + old.count { fresh.append(satellites[index]) }
    }
    swap(&fresh, &satellites)
    swap(&freshGroups, &groups)
    fresh.removeAll(keepingCapacity: true)
    freshGroups.removeAll(keepingCapacity: true)
  }

  /// The bits that say in a satellite's word whether it is used.
  // Mutating, so that `used` is looked at where it is and not copied for each satellite.
  @inline(__always)
  private mutating func usage(of satellite: Satellite) -> UInt64 {
    let place = satellite.place
    guard told &>> UInt8(truncatingIfNeeded: place) & 1 != 0,
      let bit = SatelliteNumber.bit(of: satellite.number, at: place)
    else { return 0 }
    return used[place] & bit != 0 ? Satellite.usedBits : Satellite.notUsedBits
  }

  private static func constellation(ofSystem id: Int) -> Constellation? {
    switch id {
    case 1: .gps
    case 2: .glonass
    case 3: .galileo
    case 4: .beidou
    case 5: .qzss
    case 6: .navic
    default: nil
    }
  }
}
