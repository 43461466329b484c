import Base
import GNSS

/// The values of one NMEA sentence. An unknown value is nil.
///
/// All functions receive a sentence as `inout`, so that the compiler does not copy its 500 bytes.
struct Sentence: ~Copyable {
  let role: SentenceRole
  let talker: Talker
  /// The time of day of the measurement; nil if unknown.
  private(set) var timeOfDay: TimeOfDay?
  /// The time of day on the receiver's clock; nil if unknown. The clock may differ from the time of the measurement.
  private(set) var clockTime: TimeOfDay?
  private(set) var date: UTCDate?
  /// The position; nil if the NMEA sentence has no position, or marks the position as invalid.
  private(set) var coordinate: Coordinate?
  private(set) var quality: FixQuality?
  private(set) var mode: FixMode?
  /// Whether the receiver reports that its horizontal accuracy is unknown: 0, or text that cannot be read.
  private(set) var deniesAccuracy = false
  /// The uncertainty of the geodetic datum in metres; nil if the receiver uses WGS 84.
  private(set) var datumUncertainty: Double?
  /// The number of the constellation in a GSA sentence (used satellites), or of the signal in a GSV sentence
  /// (satellites in view); nil in other sentences.
  private(set) var qualifier: Int?
  /// The count of sentences in a group of GSV sentences (satellites in view); nil if unknown.
  private(set) var parts: Int?
  private(set) var part: Int?
  /// The satellites in a GSV sentence (satellites in view). Only the first `satelliteCount` elements are valid.
  private(set) var satellites = InlineArray<4, Fields.InView>(repeating: .zero)
  private(set) var satelliteCount = 0
  /// The satellite numbers in a GSA sentence (used satellites). Only the first `slotCount` elements are valid.
  private(set) var slots = InlineArray<24, UInt16>(repeating: 0)
  private(set) var slotCount = 0
  /// The malformed fields as a bit mask: bit n for field n. The highest bit stands for all later fields.
  private(set) var unreadable: UInt32 = 0

  /// The numeric values; NaN if unknown. The index is the raw value of `Value`.
  private var numbers = InlineArray<16, Double>(repeating: .nan)
  private var isValid = true
  /// Whether the status of the sentence is V, a warning of the receiver.
  private(set) var isWarning = false

  @inline(__always)
  init(_ role: SentenceRole, _ talker: Talker) { (self.role, self.talker) = (role, talker) }

  var type: SentenceType { role.type }

  subscript(value: Value) -> Double? {
    mutating get { numbers[value.rawValue].isNaN ? nil : numbers[value.rawValue] }
  }

  /// The value of an error estimate; nil for 0, which means unknown.
  subscript(known value: Value) -> Double? {
    mutating get { self[value] == 0 ? nil : self[value] }
  }

  /// The time of the measurement in nanoseconds since midnight; -1 if unknown.
  var time: Int64 { timeOfDay?.nanosecondsSinceMidnight ?? -1 }

  /// The time on the receiver's clock in nanoseconds since midnight; -1 if unknown.
  var clock: Int64 { clockTime?.nanosecondsSinceMidnight ?? -1 }

  /// Whether the NMEA sentence contains a valid position; nil if sentences of this type have no position.
  var hasFix: Bool? { role.position == nil ? nil : coordinate != nil }

  /// Returns a number that identifies the sentence within every epoch (all data of one instant). Returns 0 if the
  /// sentence cannot be the last one of an epoch.
  /// - Parameter occurrence: the number of a GSA sentence among the GSA sentences of the same epoch.
  mutating func signature(occurrence: Int) -> UInt64 {
    if type == .gsv, part == nil || part != parts { return 0 }
    let number = type == .gsa ? UInt64(occurrence & 0xFF) : 0
    return number << 40 | UInt64(talker.code) << 24 | UInt64(UInt8(truncatingIfNeeded: qualifier ?? 255)) << 8
      | UInt64(type.rawValue) + 1
  }

  // MARK: Reading

  /// Reads all fields of the sentence. `row` contains the formats of the fields.
  ///
  /// - Throws: `NMEAError` if the time, the position or its validity cannot be read. Any other malformed field becomes
  ///   nil.
  mutating func read(_ row: [Field], _ fields: inout Fields) throws(NMEAError) {
    var failure: NMEAError?
    for field in row {
      guard fields.hasMore else {
        if fields.count < role.leastFields { throw fields.invalid() }
        break
      }
      if case .position = field { failure = readPosition(&fields) } else { try read(field, &fields) }
    }
    fields.noteRest()
    unreadable = fields.unreadable
    // A receiver without a fix may write any placeholder, such as 720 degrees.
    if let failure, isValid { throw failure }
    if !isValid { coordinate = nil }
    if role.position != nil, coordinate == nil { quality = .invalid }
  }

  private mutating func readPosition(_ fields: inout Fields) -> NMEAError? {
    let start = fields.index
    do throws(NMEAError) {
      coordinate = try fields.coordinate()
      return nil
    } catch {
      fields.index = start
      for _ in 0..<4 { fields.skip() }
      fields.note()
      return error
    }
  }

  @inline(__always)
  private mutating func read(_ field: Field, _ fields: inout Fields) throws(NMEAError) {
    switch field {
    case .time: timeOfDay = try fields.time()
    case .clock: clockTime = try fields.time()
    case .date: date = fields.date()
    case .dayMonthYear: date = fields.dayMonthYear()
    case .position: break
    case .quality: try readQuality(&fields)
    case .status:
      isValid = try fields.status()
      isWarning = !isValid
    case .mode: if let letter = fields.letter() { take(mode: letter, &fields) } else { fields.note() }
    case .modes: try readModes(&fields)
    case .solution: try readSolution(&fields)
    case .number(let value, let scale, let unit): read(value, scale, unit, &fields)
    case .letter(let letters): readLetter(letters, &fields)
    case .letterOrMode(let letters): readLetter(letters, orMode: true, &fields)
    case .version(let version): if fields.integer() != version { fields.skipAll() }
    case .dimensions:
      guard let number = fields.integer(), number != 1 else { return }
      mode = FixMode(rawValue: number)
      if mode == nil { fields.note() }
    case .slots: readSlots(&fields)
    case .parts: parts = fields.integer()
    case .part: part = fields.integer()
    case .count: _ = fields.integer()
    case .system: qualifier = fields.hexadecimal()
    case .satellites: readSatellites(&fields)
    case .datum: datumUncertainty = Self.uncertainty(ofDatum: fields.text())
    case .unused: fields.skip()
    }
  }

  @inline(__always)
  private mutating func read(_ value: Value, _ scale: Scale, _ unit: Unicode.Scalar?, _ fields: inout Fields) {
    let start = fields.index
    var number = fields.decimal()
    switch value.domain {
    case .all: break
    case .course:
      if let course = number, !(0...360).contains(course) { number = fields.note() }
      if number == 360 { number = 0 }
    case .dilution:
      // 0 means unknown. A receiver that has a fix and writes 99.99 has a bad position, so this value is used.
      if let dilution = number, dilution <= 0 {
        number = nil
        if dilution < 0 { fields.note() }
      }
    case .sizes:
      if let size = number, size < 0 { number = fields.note() }
    }
    let isWritten = fields.index > start + 1
    // In the oldest format of a VTG sentence, no unit letter follows a number.
    if let unit, fields.hasMore, type != .vtg || !fields.beginsWithDigit {
      let letter = fields.letter()
      if letter != 0, letter != UInt8(ascii: unit) { number = fields.note() }
    }
    if isWritten, number ?? 0 == 0, value.isHorizontalAccuracy { deniesAccuracy = true }
    if let number, numbers[value.rawValue].isNaN { numbers[value.rawValue] = scale.converted(number) }
  }

  private mutating func readQuality(_ fields: inout Fields) throws(NMEAError) {
    let start = fields.index
    let number = fields.integer(notes: false)
    isValid = number.map { $0 != 0 } ?? false
    if number == nil, fields.index == start + 1 { return }
    // NovAtel writes 9 for corrections from augmentation satellites. (OEM7 Commands and Logs Reference Manual, GPGGA)
    quality = number.flatMap { $0 == 9 ? .differential : FixQuality(rawValue: $0) }
    if quality == nil { throw fields.invalid() }
  }

  private mutating func readLetter(_ letters: Letters, orMode: Bool = false, _ fields: inout Fields) {
    guard let letter = fields.letter() else { return fields.note() }
    if letter == 0 || letters.contains(letter) { return }
    if orMode, !fields.hasMore { take(mode: letter, &fields) } else { fields.note() }
  }

  private mutating func take(mode letter: UInt8, _ fields: inout Fields) {
    if letter == 0 { return }
    guard let mode = Mode(letter: letter) else { return fields.note() }
    quality = mode.quality
    if quality == .invalid { isValid = false }
  }

  /// Reads the methods of the fix, one letter for each constellation, and keeps the best method.
  /// - Throws: an error if every letter is unknown.
  private mutating func readModes(_ fields: inout Fields) throws(NMEAError) {
    let letters = fields.text().utf8
    let modes = letters.prefix(8).compactMap(Mode.init(letter:))
    quality = modes.compactMap(\.quality).max { Mode.rank(of: $0) < Mode.rank(of: $1) }
    isValid = quality.map { $0 != .invalid } ?? !letters.isEmpty
    if modes.count == letters.count { return }
    guard quality != nil else { throw fields.invalid() }
    fields.note()
  }

  private mutating func readSolution(_ fields: inout Fields) throws(NMEAError) {
    switch fields.text() {
    case "G2", "G3": quality = .autonomous
    case "D2", "D3": quality = .differential
    // Dead reckoning, alone or with satellites.
    case "DR", "RK": quality = .estimated
    // No fix, or the time alone.
    case "NF", "TT", "": isValid = false
    default: throw fields.invalid()
    }
  }

  private mutating func readSlots(_ fields: inout Fields) {
    let start = fields.index
    for slot in 0..<24 where fields.hasMore {
      // After 12 slots, the dilutions or 12 more slots follow.
      if slot == 12, fields.remaining < 15 { break }
      guard let number = fields.satelliteNumber() else { continue }
      slots[slotCount] = UInt16(number)
      slotCount += 1
    }
    if [3, 4].contains(fields.remaining) { return }
    // In a sentence of another length, the positions of the dilutions are unknown.
    slotCount = 0
    fields.index = start
    let isOdd = mode != nil || fields.count >= 17
    if isOdd { fields.skip() }
    if isOdd { fields.note() }
    fields.skipAll()
  }

  private mutating func readSatellites(_ fields: inout Fields) {
    // A further field after the satellites is the signal id.
    while !fields.isLastCharacter, satelliteCount < 4 {
      let satellite = fields.commonSatellite() ?? fields.satellite()
      guard satellite[0] != 0 else { continue }
      satellites[satelliteCount] = satellite
      satelliteCount += 1
    }
    if fields.hasMore, fields.isLastCharacter { qualifier = fields.hexadecimal() }
  }

  /// Returns the uncertainty in metres of a geodetic datum, relative to WGS 84, with a probability of 68 %. Returns nil
  /// for WGS 84.
  private static func uncertainty(ofDatum code: String) -> Double? {
    switch code {
    case "W84", "": nil
    // WGS 72, SGS 85 and PZ-90 also have their origin at the centre of the earth. They differ from WGS 84 by at most 20
    // m.
    case "W72", "S85", "P90": 20
    // National and user-defined datums have their origin up to about 1 km from the origin of WGS 84. (NIMA TR8350.2,
    // appendix B)
    default: 1000
    }
  }
}

/// The method of a fix, as one letter of an NMEA sentence. (NMEA 0183 v4.11 RMC field 12, GLL 7, VTG 9, GNS 6)
private struct Mode {
  /// The quality of the fix; nil if the letter does not tell the quality.
  var quality: FixQuality?

  /// Creates the method of a fix from its letter; nil for an unknown letter.
  init?(letter: UInt8) {
    switch Unicode.Scalar(letter) {
    case "A": quality = .autonomous
    case "D": quality = .differential
    case "E": quality = .estimated
    case "F": quality = .rtkFloat
    case "M": quality = .manual
    case "P": quality = .precise
    case "R": quality = .rtkFixed
    case "S": quality = .simulator
    // V is a navigation status, and so are C and U. Some receivers write it in place of the method.
    case "N", "V": quality = .invalid
    case "C", "U", "0": quality = nil
    default: return nil
    }
  }

  /// Returns a number for the comparison of two fix qualities. A larger number means a better quality.
  static func rank(of quality: FixQuality) -> Int {
    [
      FixQuality.invalid, .simulator, .manual, .estimated, .autonomous, .differential, .precise, .rtkFloat, .rtkFixed,
    ].firstIndex(of: quality) ?? 0
  }
}
