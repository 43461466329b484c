import GNSS

/// The satellites in view, and whether the solution uses them.
///
/// A receiver reports the satellites of each system and signal in a group of sentences, but not in every epoch. A group
/// is valid until the receiver reports it again. If three epochs contain only other groups, the group is removed.
struct SatelliteTable: Sendable {
  private struct Group {
    /// The talker and the signal of the group.
    var key: UInt32
    var start: Int
    var count: Int
    /// The number of epochs with other groups since the last report of this group.
    var missed: Int
  }

  /// A list of up to 32 groups. An array would check on each access whether its storage is shared.
  private struct Groups {
    private var list = InlineArray<32, Group>(repeating: Group(key: 0, start: 0, count: 0, missed: 0))
    private(set) var count = 0

    var isFull: Bool { count == 32 }

    subscript(index: Int) -> Group {
      @inline(__always) get { list[index] }
      @inline(__always) set { list[index] = newValue }
    }

    // The function is mutating, so that the compiler reads the list in place and does not copy it.
    @inline(__always)
    mutating func contains(_ key: UInt32) -> Bool {
      for index in 0..<count where list[index].key == key { return true }
      return false
    }

    mutating func append(_ group: Group) {
      list[count] = group
      count += 1
    }

    mutating func removeAll() { count = 0 }
  }

  /// The maximum number of satellites, counted once for each signal. Receivers report up to about 150. The limit
  /// protects the program against wrong data.
  private static let capacity = 256

  /// The encoded satellites since the last merge, with space for one more sentence. Only the first `freshCount`
  /// elements are valid. An array would check for each sentence whether its storage is shared.
  private var fresh = InlineArray<260, UInt64>(repeating: 0)
  private var freshCount = 0
  private var freshGroups = Groups()
  private var groups = Groups()
  /// The key of the open group, whose sentences are arriving; `UInt32.max` without an open group.
  private var openKey = UInt32.max
  private var openPart = 0
  /// The mask from `GSV.bits` for the satellites of the open group.
  private var openBits: UInt64 = 0

  /// `used` contains the satellites that the solution uses, as one mask for each system. `reportedSystems` contains the
  /// systems for which the receiver has reported the used satellites.
  private var used = InlineArray<8, UInt64>(repeating: 0)
  private var reportedSystems: UInt8 = 0
  private var usageChanged = false
  /// Whether `used` contains the satellites of an earlier epoch.
  private var usageIsOld = true

  @inline(__always)
  mutating func add(_ gsv: GSV) {
    let key = UInt32(gsv.talker.code) << 8 | UInt32(truncatingIfNeeded: gsv.signal ?? 255)
    // A sentence without a part number is a complete group.
    let part = gsv.part ?? 1
    if key == openKey, part > openPart {
      openPart = part
    } else if !open(key, part, talker: gsv.talker, signal: gsv.signal) {
      return
    }
    let start = freshCount
    guard start >= 0, start &+ gsv.count <= SatelliteTable.capacity else { return }
    let words = gsv.words(lowBits: openBits)
    for index in 0..<4 { fresh[start &+ index] = words[index] }
    freshCount = start &+ gsv.count
  }

  /// Opens a group. If the group is already open, it begins again. Returns false if the group is complete, or if the
  /// list of groups is full.
  @inline(never)
  private mutating func open(_ key: UInt32, _ part: Int, talker: Talker, signal: Int?) -> Bool {
    if key == openKey {
      freshCount = freshGroups[freshGroups.count - 1].start
    } else {
      if freshGroups.contains(key) || freshGroups.isFull { return false }
      closeGroup()
      freshGroups.append(Group(key: key, start: freshCount, count: 0, missed: 0))
    }
    openKey = key
    openPart = part
    openBits = GSV.bits(of: 1, talker: talker, signal: signal)
    return true
  }

  private mutating func closeGroup() {
    guard freshGroups.count > 0 else { return }
    let last = freshGroups.count - 1
    freshGroups[last].count = freshCount - freshGroups[last].start
    openKey = .max
  }

  // The function is inlined, so that the compiler does not copy the sentence.
  @_transparent
  mutating func add(_ gsa: GSA, talker: Talker) {
    if usageIsOld {
      used = InlineArray(repeating: 0)
      reportedSystems = 0
      usageIsOld = false
    }
    usageChanged = true
    let system = gsa.systemID.flatMap(SatelliteTable.constellation(ofSystem:)) ?? talker.constellation
    // If neither the system id nor the talker determines one system, the sentence reports all systems.
    reportedSystems |= system.map { 1 << UInt8($0.index) } ?? 0x7F
    if system == .gps { reportedSystems |= 1 << UInt8(Constellation.sbas.index) }
    // All numbers 1...32 in one sentence belong to the same system.
    if let constellation = SatelliteNumber.constellation(of: 1, systemID: gsa.systemID, talker: talker) {
      used[constellation.index] |= gsa.lowNumbers
    }
    guard gsa.hasHighNumbers else { return }
    gsa.forEachSatellite { number in
      guard let constellation = SatelliteNumber.constellation(of: number, systemID: gsa.systemID, talker: talker),
        let bit = SatelliteNumber.bit(of: number, at: constellation.index)
      else { return }
      used[constellation.index] |= bit
    }
  }

  mutating func merge(into satellites: inout [Satellite]) {
    usageIsOld = true
    closeGroup()
    if freshGroups.count > 0 {
      keepOthers(of: satellites)
      replace(&satellites)
    } else if usageChanged, reportedSystems != 0 {
      var list = satellites.mutableSpan
      for index in list.indices { list[index] = marked(list[index].word) }
    }
    usageChanged = false
  }

  private mutating func keepOthers(of satellites: [Satellite]) {
    for index in 0..<groups.count {
      let old = groups[index]
      if old.missed >= 2 || freshGroups.contains(old.key) || freshGroups.isFull { continue }
      guard freshCount &+ old.count <= SatelliteTable.capacity else { continue }
      var kept = old
      kept.start = freshCount
      kept.missed += 1
      freshGroups.append(kept)
      for index in old.start..<old.start + old.count {
        fresh[freshCount] = satellites[index].word
        freshCount += 1
      }
    }
    groups.removeAll()
    for index in 0..<freshGroups.count { groups.append(freshGroups[index]) }
    freshGroups.removeAll()
  }

  private mutating func replace(_ satellites: inout [Satellite]) {
    let count = freshCount
    if satellites.count > count { satellites.removeLast(satellites.count - count) }
    while satellites.count < count { satellites.append(Satellite(word: 0)) }
    var list = satellites.mutableSpan
    if reportedSystems != 0 {
      for index in 0..<count { list[index] = marked(fresh[index]) }
    } else {
      for index in 0..<count { list[index] = Satellite(word: fresh[index]) }
    }
    freshCount = 0
  }

  /// Returns a satellite with its use in the solution. The use is unknown if the receiver has not reported it.
  // The function is mutating, so that the compiler reads `used` in place and does not copy it for each satellite.
  @inline(__always)
  private mutating func marked(_ word: UInt64) -> Satellite {
    let system = Satellite(word: word).constellationIndex
    var bits = used[system] &>> word
    // Numbers from 64 on, and the numbers of augmentation satellites, need a conversion to the position of their bit.
    if word & 0xFFC0 != 0 || system == 6 {
      guard let bit = SatelliteNumber.bit(of: Int(word & 0xFFFF), at: system) else {
        return Satellite(word: word & ~Satellite.usedBits)
      }
      bits = used[system] & bit == 0 ? 0 : 1
    }
    let isReported = UInt64(reportedSystems) &>> UInt64(truncatingIfNeeded: system) & 1
    // The expression has no branches, because the processor could not predict them.
    let usage =
      isReported &* Satellite.notUsedBits | (isReported & bits) &* (Satellite.usedBits ^ Satellite.notUsedBits)
    return Satellite(word: word & ~Satellite.usedBits | usage)
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
