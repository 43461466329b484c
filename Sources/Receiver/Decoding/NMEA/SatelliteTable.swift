import GNSS

/// The satellites in view, and whether the position solution uses each satellite.
///
/// A receiver reports the satellites of each constellation and signal in a group of NMEA sentences, but not in every
/// epoch (all data of one instant). A group is valid until the receiver reports it again, or until three epochs contain
/// only other groups.
struct SatelliteTable: Sendable {
  private struct Group {
    /// The constellation and the signal of the group, as one number.
    var key: UInt32
    /// The index of the group's first satellite in the array of all satellites.
    var start: Int
    var end: Int
    /// The count of successive instants without data about this group.
    var missed = 0
  }

  /// The maximum count of satellites, with one count for each signal. Receivers report up to about 150. The limit
  /// protects the memory against wrong data.
  private static let mostSatellites = 256
  private static let mostGroups = 32

  /// The satellites that have arrived since the latest call of `merge`.
  private var fresh: [Satellite] = []
  private var freshGroups: [Group] = []
  /// The groups of satellites in the latest epoch (all data of one instant). A group contains the satellites of one
  /// constellation and signal.
  private var groups: [Group] = []
  private var openPart = 0

  /// The satellites that the position solution uses, as one bit mask for each constellation.
  private var used = InlineArray<7, UInt64>(repeating: 0)
  private var reported: UInt8 = 0
  private var usageChanged = false
  /// Whether `used` comes from an earlier instant, so that the next NMEA sentence replaces the value.
  private var usageIsOld = true

  /// Adds the satellites in view from a GSV sentence, or the used satellites from a GSA sentence.
  mutating func add(_ sentence: inout Sentence) {
    if sentence.type == .gsv { addGroup(&sentence) }
    if sentence.type == .gsa { addUsage(&sentence) }
  }

  private mutating func addGroup(_ sentence: inout Sentence) {
    let key = UInt32(sentence.talker.code) << 8 | UInt32(sentence.qualifier ?? 255)
    // A sentence without a part number is a complete group.
    let part = sentence.part ?? 1
    if let open = freshGroups.last, open.key == key {
      // If the open group begins again, its former satellites are replaced.
      if part <= openPart { fresh.removeSubrange(open.start...) }
    } else {
      if freshGroups.count == Self.mostGroups || freshGroups.contains(where: { $0.key == key }) { return }
      freshGroups.append(Group(key: key, start: fresh.count, end: fresh.count))
    }
    openPart = part
    if fresh.count + sentence.satelliteCount <= Self.mostSatellites {
      for index in 0..<sentence.satelliteCount {
        let (values, talker) = (sentence.satellites[index], sentence.talker)
        // Values out of range are unknown. Some receivers write 0 dB-Hz for a satellite that is not tracked.
        fresh.append(
          Satellite(
            constellation: SatelliteNumber.constellation(of: Int(values[0]), talker: talker), number: Int(values[0]),
            elevation: Int(values[1]), azimuth: values[2] == 360 ? 0 : Int(values[2]),
            signalStrength: values[3] == 0 ? nil : Int(values[3]), signal: sentence.qualifier))
      }
    }
    freshGroups[freshGroups.count - 1].end = fresh.count
  }

  private mutating func addUsage(_ sentence: inout Sentence) {
    if usageIsOld { (used, reported) = (InlineArray(repeating: 0), 0) }
    (usageIsOld, usageChanged) = (false, true)
    let talker = sentence.qualifier.flatMap(Talker.init(systemID:)) ?? sentence.talker
    // If neither the system id nor the talker determines one constellation, the sentence reports all of them.
    reported |= talker.constellation.map { 1 << UInt8($0.index) } ?? 0x7F
    if talker.constellation == .gps { reported |= 1 << UInt8(Constellation.sbas.index) }
    for index in 0..<sentence.slotCount {
      let number = Int(sentence.slots[index])
      guard let constellation = SatelliteNumber.constellation(of: number, talker: talker),
        let bit = SatelliteNumber.bit(of: number, in: constellation)
      else { continue }
      used[constellation.index] |= bit
    }
  }

  /// Updates `satellites` with the groups that have arrived since the latest call. (A group contains the satellites of
  /// one constellation and signal.)
  mutating func merge(into satellites: inout [Satellite]) {
    usageIsOld = true
    if !freshGroups.isEmpty {
      keepOthers(of: satellites)
      satellites.removeAll(keepingCapacity: true)
      satellites += fresh
      fresh.removeAll(keepingCapacity: true)
      swap(&groups, &freshGroups)
      freshGroups.removeAll(keepingCapacity: true)
    } else if !usageChanged {
      return
    }
    usageChanged = false
    for index in satellites.indices { mark(&satellites[index]) }
  }

  private mutating func keepOthers(of satellites: [Satellite]) {
    for var group in groups where group.missed < 2 && freshGroups.count < Self.mostGroups {
      let size = group.end - group.start
      if fresh.count + size > Self.mostSatellites || freshGroups.contains(where: { $0.key == group.key }) { continue }
      fresh += satellites[group.start..<group.end]
      (group.start, group.end, group.missed) = (fresh.count - size, fresh.count, group.missed + 1)
      freshGroups.append(group)
    }
  }

  /// Sets `isUsed` of a satellite: whether the position solution uses the satellite; nil if the receiver has not
  /// reported about its constellation.
  private mutating func mark(_ satellite: inout Satellite) {
    satellite.isUsed = nil
    guard let constellation = satellite.constellation, reported >> UInt8(constellation.index) & 1 == 1,
      let bit = SatelliteNumber.bit(of: satellite.number, in: constellation)
    else { return }
    satellite.isUsed = used[constellation.index] & bit != 0
  }
}
