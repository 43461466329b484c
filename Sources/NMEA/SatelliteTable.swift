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

  /// What was reported since the last merge: the first `freshCount`, and room for more.
  private var fresh: [Satellite] = []
  private var freshCount = 0
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
    if fresh.count < freshCount &+ 4 { makeRoom() }
    let (start, bits) = (freshCount, openBits)
    // The list is looked at once, not for each satellite.
    var list = fresh.mutableSpan
    gsv.write(to: &list, at: start, lowBits: bits)
    freshCount = start &+ gsv.count
  }

  @inline(never)
  private mutating func makeRoom() {
    fresh.append(contentsOf: repeatElement(Satellite(word: 0), count: 64))
  }

  /// Opens a group, or the open one anew. False where it is over: a part that comes then tells nothing new.
  @inline(never)
  private mutating func open(_ key: UInt32, _ part: Int, for gsv: GSV) -> Bool {
    if key == openKey, let last = freshGroups.last {
      freshCount = last.start
    } else {
      if freshGroups.contains(where: { $0.key == key }) { return false }
      closeGroup()
      freshGroups.append(Group(key: key, start: freshCount, count: 0, missed: 0))
    }
    openKey = key
    openPart = part
    openBits = gsv.bits(of: 1)
    return true
  }

  private mutating func closeGroup() {
    guard let last = freshGroups.indices.last else { return }
    freshGroups[last].count = freshCount - freshGroups[last].start
    openKey = .max
  }

  // Inlined, so that the sentence is not copied for it.
  @inline(always)
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
    if told != 0 { markUsed(&satellites) }
    usageChanged = false
  }

  private mutating func replace(_ satellites: inout [Satellite]) {
    for old in groups where old.missed < 2 {
      if freshGroups.contains(where: { $0.key == old.key }) { continue }
      var kept = old
      kept.start = freshCount
      kept.missed += 1
      freshGroups.append(kept)
      for index in old.start..<old.start + old.count {
        if fresh.count == freshCount { makeRoom() }
        fresh[freshCount] = satellites[index]
        freshCount += 1
      }
    }
    satellites.removeAll(keepingCapacity: true)
    satellites.append(contentsOf: fresh[..<freshCount])
    freshCount = 0
    swap(&freshGroups, &groups)
    freshGroups.removeAll(keepingCapacity: true)
  }

  /// Says of each satellite whether it is used, as far as that was told.
  // Mutating, so that `used` is looked at where it is and not copied for each satellite.
  private mutating func markUsed(_ satellites: inout [Satellite]) {
    let told = UInt64(told)
    var list = satellites.mutableSpan
    for index in list.indices {
      let (word, place) = (list[index].word, list[index].place)
      var bits = used[place] &>> word
      // Numbers from 64 on, and those of augmentation satellites, do not count from 1 in their system.
      if word & 0xFFC0 != 0 || place == 6 {
        guard let bit = SatelliteNumber.bit(of: list[index].number, at: place) else {
          list[index] = Satellite(word: word & ~Satellite.usedBits)
          continue
        }
        bits = used[place] & bit == 0 ? 0 : 1
      }
      let isTold = told &>> UInt64(truncatingIfNeeded: place) & 1
      // Without branches, which nobody could foresee.
      let usage = isTold &* Satellite.notUsedBits | (isTold & bits) &* (Satellite.usedBits ^ Satellite.notUsedBits)
      list[index] = Satellite(word: word & ~Satellite.usedBits | usage)
    }
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
