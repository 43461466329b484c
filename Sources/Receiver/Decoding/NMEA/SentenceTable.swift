/// The NMEA sentence types that the decoder uses. (NMEA 0183 v4.11 §6.3; protocol manuals of u-blox, Garmin and
/// Quectel)
public enum SentenceType: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// The standard sentence types, named by their three letters, for example GGA (position) and GSV (satellites in
  /// view).
  case gga, rmc, gsa, gsv, gst, vtg, gll, gns, zda, dtm
  /// The proprietary sentences of u-blox: `PUBX,00` with a position, and `PUBX,04` with the time.
  case pubxPosition, pubxTime
  /// The proprietary sentences with an estimate of the position error: `PGRME` of Garmin, and `PQTMEPE` of Quectel.
  case positionError

  public var description: String { self == .positionError ? "position-error" : SentenceRow.all[rawValue].name }
}

/// How the decoder uses the values of an NMEA sentence type.
struct SentenceRole: Sendable {
  struct Traits: OptionSet {
    let rawValue: UInt8
    /// The NMEA sentence contains a position, a time or an error estimate, and not only satellites or a velocity.
    static let navigation = Traits(rawValue: 1)
    /// The receiver sends the NMEA sentence only once for each instant.
    static let once = Traits(rawValue: 2)
    /// The NMEA sentence contains a position with further values, for example the altitude.
    static let solution = Traits(rawValue: 4)
    /// The NMEA sentence does not belong to a measurement.
    static let independent = Traits(rawValue: 8)
    /// The NMEA sentence contains estimates of the position error.
    static let errors = Traits(rawValue: 16)
    /// The NMEA sentence has the format of one manufacturer: its address begins with `P`.
    static let proprietary = Traits(rawValue: 32)
  }

  let type: SentenceType
  /// The minimum count of fields in a valid NMEA sentence. Some devices omit the last fields.
  let leastFields: Int
  /// The count of bytes before the first field.
  let addressLength: Int
  /// The priority of the sentence's position among all sentences of one instant, 0 for the highest; nil if the sentence
  /// type has no position.
  let position: Int?
  /// The priority of the sentence's speed and course among all sentences of one instant, 0 for the highest; nil if the
  /// sentence type has neither.
  let velocity: Int?
  let traits: Traits
}

/// A row of the table of NMEA sentence types: the fields of one type, and how the decoder uses their values.
///
/// To add a sentence type, add a case of `SentenceType` and a row. A value that no other sentence has also needs a case
/// of `Value`, and code in `EpochContents`.
struct SentenceRow: Sendable {
  /// The three letters of the sentence type, or the beginning of a proprietary sentence such as `PUBX,00`.
  let name: String
  let role: SentenceRole
  let fields: [Field]
  /// The expected first eight bytes of an NMEA sentence: the characters of `name` and a comma. `mask` excludes other
  /// bytes from the comparison, such as the two letters of the talker (the sender).
  let word: UInt64
  let mask: UInt64

  private init(
    _ type: SentenceType, _ name: String, least: Int, position: Int? = nil, velocity: Int? = nil,
    _ traits: SentenceRole.Traits, _ fields: [Field]
  ) {
    (self.name, self.fields) = (name, fields)
    // The first field of `PUBX,00` is a part of its name.
    let address = traits.contains(.proprietary) ? name.utf8.prefix { $0 != Fields.comma }.count + 1 : 6
    role = SentenceRole(
      type: type, leastFields: least, addressLength: address, position: position, velocity: velocity, traits: traits)
    var shift: UInt64 = traits.contains(.proprietary) ? 0 : 16
    var (word, mask): (UInt64, UInt64) = (0, 0)
    for byte in name.utf8 + [Fields.comma] {
      word |= UInt64(byte) << shift
      mask |= 0xFF << shift
      shift += 8
    }
    (self.word, self.mask) = (word, mask)
  }

  /// The rows of the table: one for each sentence type, and a second row for `positionError`.
  static let all = SentenceType.allCases.map(make) + [quectelError]

  /// Returns the index of a sentence's row in the table; nil for an unknown sentence type.
  /// - Parameters:
  ///   - word: the first eight bytes of the sentence. The first byte is the lowest byte.
  ///   - length: the count of bytes in the sentence.
  static func index(of word: UInt64, length: Int) -> Int? {
    if word & garminMask == garminWord { return nil }
    return all.firstIndex { word & $0.mask == $0.word && length >= $0.role.addressLength }
  }

  /// The text `PGRMC,` as a number. Garmin receivers answer a request for their configuration with this sentence, which
  /// is not an RMC sentence of a talker `PG`.
  private static let garminWord: UInt64 = 0x2C43_4D52_4750
  private static let garminMask: UInt64 = 0xFFFF_FFFF_FFFF

  private static func make(_ type: SentenceType) -> SentenceRow {
    switch type {
    // Some senders omit the fields after the quality.
    case .gga:
      SentenceRow(
        type, "GGA", least: 6, position: 0, [.navigation, .once, .solution],
        [
          .time, .position, .quality, .number(.satellitesUsed), .number(.horizontalDilution),
          .number(.altitude, unit: "M"), .number(.geoidSeparation, unit: "M"),
          // The age of the corrections, and the number of the reference station.
          .number(.unused), .count,
        ])
    // Some senders omit the fields after the position.
    case .rmc:
      SentenceRow(
        type, "RMC", least: 6, position: 2, velocity: 0, [.navigation, .once],
        [
          .time, .status, .position, .number(.speed, in: .knots), .number(.course), .date,
          // The magnetic variation. The last field is the navigation status.
          .number(.unused), .letterOrMode("EW"), .mode, .letter("SCUV"),
        ])
    // A sentence has 12 satellite slots. Some receivers send 24 slots. Since version 4.11, a sentence also has a system
    // id. Without a fix, some receivers send only the first two fields.
    case .gsa:
      SentenceRow(
        type, "GSA", least: 2, [],
        [
          .letter("AM"), .dimensions, .slots, .number(.positionDilution), .number(.horizontalDilution),
          .number(.verticalDilution), .system,
        ])
    case .gsv: SentenceRow(type, "GSV", least: 3, [], [.parts, .part, .count, .satellites])
    case .gst:
      SentenceRow(
        type, "GST", least: 2, [.navigation, .once, .errors],
        [
          // The residuals, and the error ellipse.
          .time, .number(.unused), .number(.unused), .number(.unused), .number(.unused), .number(.latitudeError),
          .number(.longitudeError), .number(.altitudeError),
        ])
    // Before version 2, the sentence contains four numbers without units. (gpsd, "NMEA Revealed", VTG)
    case .vtg:
      SentenceRow(
        type, "VTG", least: 2, velocity: 1, [.once],
        [
          .number(.course, unit: "T"), .number(.unused, unit: "M"), .number(.speed, in: .knots, unit: "N"),
          .number(.speed, in: .kilometresPerHour, unit: "K"), .mode,
        ])
    // 4 fields in version 1.5, in which every position is valid.
    case .gll:
      SentenceRow(type, "GLL", least: 4, position: 3, [.navigation, .once], [.position, .time, .status, .mode])
    case .gns:
      SentenceRow(
        type, "GNS", least: 6, position: 1, [.navigation, .solution],
        [
          .time, .position, .modes, .number(.satellitesUsed), .number(.horizontalDilution), .number(.altitude),
          .number(.geoidSeparation), .number(.unused), .count, .letter("SCUV"),
        ])
    case .zda:
      SentenceRow(
        type, "ZDA", least: 4, [.navigation, .once], [.clock, .dayMonthYear, .number(.unused), .number(.unused)])
    // The offsets from the reference datum are not used, because receivers write zeros for unknown offsets.
    case .dtm:
      SentenceRow(
        type, "DTM", least: 1, [.independent],
        [.datum, .unused, .number(.unused), .letter("NS"), .number(.unused), .letter("EW"), .number(.unused), .unused])
    // (u-blox interface descriptions, `PUBX,00`)
    case .pubxPosition:
      SentenceRow(
        type, "PUBX,00", least: 8, position: 4, velocity: 2, [.navigation, .once, .solution, .errors, .proprietary],
        [
          .unused, .time, .position,
          // The height above the ellipsoid, which is not an altitude.
          .number(.unused), .solution, .number(.horizontalError), .number(.verticalError),
          .number(.speed, in: .kilometresPerHour), .number(.course), .number(.unused), .number(.unused),
          .number(.horizontalDilution), .number(.verticalDilution), .number(.unused), .number(.satellitesUsed), .unused,
          .unused,
        ])
    case .pubxTime:
      SentenceRow(
        type, "PUBX,04", least: 3, [.once, .proprietary],
        [
          .unused, .clock, .date, .number(.unused), .number(.unused), .unused, .number(.unused), .number(.unused),
          .unused,
        ])
    // Garmin does not publish the probability. By common belief it is 50 %, and this assumption gives the larger of the
    // possible errors. 999.9 stands for every larger error, and is used as it is.
    case .positionError:
      SentenceRow(
        type, "PGRME", least: 6, [.once, .errors, .proprietary],
        [
          .number(.horizontalError, in: .medianRadius, unit: "M"),
          .number(.verticalError, in: .medianDistance, unit: "M"),
          .number(.unused, unit: "M"),
        ])
    }
  }

  /// The table row for the sentence `PQTMEPE` with error estimates: north, east, down, two-dimensional and
  /// three-dimensional. The two-dimensional error is √(north² + east²). The decoder reads only version 2, because
  /// other versions are not documented.
  private static let quectelError = SentenceRow(
    .positionError, "PQTMEPE", least: 6, [.once, .errors, .proprietary],
    [
      .version(2), .number(.unused), .number(.unused), .number(.verticalError), .number(.horizontalError),
      .number(.unused),
    ])
}

/// The format of one field in an NMEA sentence, or of several fields that form one value.
enum Field: Sendable {
  /// The time of day of the measurement.
  case time
  /// The time of day on the clock of the receiver.
  case clock
  /// A date in one field, `ddmmyy`.
  case date
  case dayMonthYear
  /// Latitude and longitude in four fields: `ddmm.mmmm,N,dddmm.mmmm,E`.
  case position
  /// A digit for the quality of the fix.
  case quality
  /// A letter that means a valid or an invalid position.
  case status
  /// A letter for the method of the fix, for example `D` for a fix with differential corrections.
  case mode
  /// The methods of the fix, with one letter for each constellation.
  case modes
  /// Two letters for the status of the fix in the sentence `PUBX,00`.
  case solution
  /// A number, followed by a field with the letter `unit` unless `unit` is nil.
  case number(Value, in: Scale = .one, unit: Unicode.Scalar? = nil)
  /// A letter from a given set. The decoder does not use the letter.
  case letter(Letters)
  /// A letter from a given set, or a letter for the method of the fix. Some receivers omit the first letter.
  case letterOrMode(Letters)
  /// The version of the sentence format. If the version differs from the given number, the decoder ignores the
  /// remaining fields.
  case version(Int)
  /// The count of dimensions of the fix: 2 or 3, or 1 without a fix.
  case dimensions
  /// The numbers of the satellites that the receiver used for its position, in 12 or 24 fields.
  case slots
  /// The number of the constellation, as one hexadecimal digit.
  case system
  /// The count of sentences in a group of GSV sentences (satellites in view), and the number of this sentence in the
  /// group.
  case parts, part
  /// Up to four satellites in view with four fields each, and the number of their signal.
  case satellites
  /// A whole number without a use in the decoder.
  case count
  case datum
  case unused
}

enum Value: Int, Sendable, CaseIterable {
  /// The altitude above mean sea level in metres, and the height of the geoid above the ellipsoid in metres.
  case altitude, geoidSeparation
  /// The speed in m/s, and the course in degrees from true north, 0..<360.
  case speed, course
  case satellitesUsed
  case horizontalDilution, verticalDilution, positionDilution
  /// The standard deviations of the position error in metres, for each axis.
  case latitudeError, longitudeError, altitudeError, verticalError
  /// The horizontal error in metres, as distance root mean square.
  case horizontalError
  /// A number that the decoder checks for errors but does not use.
  case unused

  /// Whether the horizontal accuracy of a fix can come from this value.
  @inline(__always)
  var isHorizontalAccuracy: Bool {
    switch self {
    case .horizontalDilution, .latitudeError, .longitudeError, .horizontalError: true
    default: false
    }
  }

  /// The range of valid numbers for a value.
  enum Domain { case all, sizes, course, dilution }

  @inline(__always)
  var domain: Domain {
    switch self {
    case .altitude, .geoidSeparation, .unused: .all
    case .course: .course
    case .horizontalDilution, .verticalDilution, .positionDilution: .dilution
    case .speed, .satellitesUsed, .latitudeError, .longitudeError, .altitudeError, .verticalError, .horizontalError:
      .sizes
    }
  }
}

/// The unit in which an NMEA sentence writes a number.
enum Scale: Sendable {
  case one, knots, kilometresPerHour
  /// A radius in metres that contains half of all positions. The factor √2 / √(2 ln 2) converts the radius to the
  /// distance root mean square.
  case medianRadius
  /// A distance in metres that is larger than half of all errors. The factor 1.4826 converts the distance to the
  /// standard deviation.
  case medianDistance

  func converted(_ number: Double) -> Double {
    switch self {
    case .one: number
    case .knots: number * (1852.0 / 3600.0)
    case .kilometresPerHour: number / 3.6
    case .medianRadius: number * 1.2011
    case .medianDistance: number * 1.4826
    }
  }
}

/// A set of capital letters, A to Z.
struct Letters: ExpressibleByStringLiteral, Sendable {
  private var mask: UInt32 = 0

  init(stringLiteral letters: String) {
    for letter in letters.utf8 { mask |= 1 << UInt32(letter - UInt8(ascii: "A")) }
  }

  func contains(_ letter: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) && mask >> UInt32(letter - UInt8(ascii: "A")) & 1 == 1
  }
}
