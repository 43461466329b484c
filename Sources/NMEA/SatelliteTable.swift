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
    /// Epochs with other groups since this one came.
    var missed: Int
  }

  /// What was reported since the last merge.
  private var fresh: [Satellite] = []
  private var freshGroups: [Group] = []
  private var groups: [Group] = []
  /// The last of the fresh groups while parts of it come, which most sentences are; its count is not yet known. What
  /// no key is where none is open.
  private var openKey = UInt32.max
  /// The part that came last.
  private var openPart = 0
  /// What makes its satellites complete. (`GSV.bits`)
  private var openBits: UInt64 = 0

  /// Satellites used, one bit each, by system; and the systems that were told of.
  private var used = InlineArray<8, UInt64>(repeating: 0)
  private var told: UInt8 = 0
  private var usageChanged = false
  /// Whether the usage belongs to an epoch before this one.
  private var usageIsOld = true

  @inline(__always)
  mutating func add(_ gsv: GSV) {
    let key = UInt32(gsv.talker.code) << 8 | UInt32(truncatingIfNeeded: gsv.signal ?? 255)
    // Without a part number it is one of its own.
    let part = gsv.part ?? 1
    if key == openKey, part > openPart {
      openPart = part
    } else if !open(key, part, for: gsv) {
      return
    }
    gsv.append(to: &fresh, lowBits: openBits)
  }

  /// Opens a group, or the open one anew. False where it is over: a part that comes then tells nothing new.
  @inline(never)
  private mutating func open(_ key: UInt32, _ part: Int, for gsv: GSV) -> Bool {
    if key == openKey, let last = freshGroups.last {
      fresh.removeLast(fresh.count - last.start)
    } else {
      if freshGroups.contains(where: { $0.key == key }) { return false }
      closeGroup()
      freshGroups.append(Group(key: key, start: fresh.count, count: 0, missed: 0))
    }
    openKey = key
    openPart = part
    openBits = gsv.bits(of: 1)
    return true
  }

  private mutating func closeGroup() {
    guard let last = freshGroups.indices.last else { return }
    freshGroups[last].count = fresh.count - freshGroups[last].start
    openKey = .max
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
    closeGroup()
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
