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

  /// Up to 32 groups. An array would be asked each time whether it is shared.
  private struct Groups {
    private var list = InlineArray<32, Group>(repeating: Group(key: 0, start: 0, count: 0, missed: 0))
    private(set) var count = 0

    var isFull: Bool { count == 32 }

    subscript(index: Int) -> Group {
      @inline(__always) get { list[index] }
      @inline(__always) set { list[index] = newValue }
    }

    // Mutating, so that the list is looked at where it is and not copied.
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

  /// The most satellites that are kept, each signal for itself: receivers report up to about 150. Without a bound, one
  /// that lies would have the table grow without end.
  private static let capacity = 256

  /// The words of what was reported since the last merge: the first `freshCount`, and room for as many as a sentence
  /// has. An array would be asked for each sentence whether it is shared.
  private var fresh = InlineArray<260, UInt64>(repeating: 0)
  private var freshCount = 0
  private var freshGroups = Groups()
  private var groups = Groups()
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
    } else if !open(key, part, talker: gsv.talker, signal: gsv.signal) {
      return
    }
    let start = freshCount
    guard start >= 0, start &+ gsv.count <= SatelliteTable.capacity else { return }
    let words = gsv.words(lowBits: openBits)
    for index in 0..<4 { fresh[start &+ index] = words[index] }
    freshCount = start &+ gsv.count
  }

  /// Opens a group, or the open one anew. False where it is over: a part that comes then tells nothing new.
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
    if freshGroups.count > 0 {
      keepOthers(of: satellites)
      replace(&satellites)
    } else if usageChanged, told != 0 {
      var list = satellites.mutableSpan
      for index in list.indices { list[index] = marked(list[index].word) }
    }
    usageChanged = false
  }

  /// Groups that did not come, as far as they still stand.
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
    if told != 0 {
      for index in 0..<count { list[index] = marked(fresh[index]) }
    } else {
      for index in 0..<count { list[index] = Satellite(word: fresh[index]) }
    }
    freshCount = 0
  }

  /// The satellite with whether it is used, as far as that was told.
  // Mutating, so that `used` is looked at where it is and not copied for each satellite.
  @inline(__always)
  private mutating func marked(_ word: UInt64) -> Satellite {
    let place = Satellite(word: word).place
    var bits = used[place] &>> word
    // Numbers from 64 on, and those of augmentation satellites, do not count from 1 in their system.
    if word & 0xFFC0 != 0 || place == 6 {
      guard let bit = SatelliteNumber.bit(of: Int(word & 0xFFFF), at: place) else {
        return Satellite(word: word & ~Satellite.usedBits)
      }
      bits = used[place] & bit == 0 ? 0 : 1
    }
    let isTold = UInt64(told) &>> UInt64(truncatingIfNeeded: place) & 1
    // Without branches, which nobody could foresee.
    let usage = isTold &* Satellite.notUsedBits | (isTold & bits) &* (Satellite.usedBits ^ Satellite.notUsedBits)
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
