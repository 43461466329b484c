/// The supported sentence types. (NMEA 0183 v4.11 §6.3; protocol manuals of u-blox, Garmin and Quectel)
public enum SentenceType: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// Standard types, named by the three letters after the talker.
  case gga, rmc, gsa, gsv, gst, vtg, gll, gns, zda, dtm
  /// `PUBX,00` and `PUBX,04`: u-blox position and time.
  case pubxPosition, pubxTime
  /// `PGRME` of Garmin and `PQTMEPE` of Quectel: the receiver's estimate of its error.
  case positionError

  public var description: String { self == .positionError ? "position-error" : SentenceRow.all[rawValue].name }
}

/// The use of a sentence's values in an epoch.
struct SentenceRole: Sendable {
  struct Traits: OptionSet {
    let rawValue: UInt8
    /// The sentence contains data of the epoch. Satellites and clock data alone make no epoch.
    static let navigation = Traits(rawValue: 1)
    /// The type occurs only once in an epoch, so that a second sentence begins the next epoch.
    static let once = Traits(rawValue: 2)
    /// The sentence contains the altitude, the satellites or the dilution of its position.
    static let solution = Traits(rawValue: 4)
    /// The receiver sends the sentence at times that do not depend on the epochs.
    static let independent = Traits(rawValue: 8)
    /// The sentence contains estimated errors.
    static let errors = Traits(rawValue: 16)
    /// The address has no talker.
    static let proprietary = Traits(rawValue: 32)
  }

  let type: SentenceType
  /// The smallest number of fields with which the sentence has a meaning. Senders omit fields at the end, and add others.
  let leastFields: Int
  /// The number of bytes before the first field.
  let addressLength: Int
  /// The rank of the sentence's position among the positions of an epoch: 0 is the best. Nil without a position.
  let position: Int?
  /// The rank of the sentence's speed and course.
  let velocity: Int?
  let traits: Traits
}

/// A row of the table of sentences: the fields of a type in their order, and the use of its values.
///
/// A new sentence is a case of `SentenceType` and a row. A value that no other sentence has is also a case of `Value`,
/// and `EpochContents` writes it to the epoch.
struct SentenceRow: Sendable {
  /// The three letters after the talker, or the beginning of a proprietary sentence.
  let name: String
  let role: SentenceRole
  let fields: [Field]
  /// The bytes of the address, from the third byte on for a standard sentence, with the comma after it.
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

  /// A row for each type, and a second row for the last one.
  static let all = SentenceType.allCases.map(make) + [quectelError]

  /// Returns the index of the row of a sentence.
  /// - Parameters:
  ///   - word: The first eight bytes, the first one in the lowest byte. In a shorter sentence, the bytes behind it follow.
  ///   - length: The number of bytes of the sentence.
  static func index(of word: UInt64, length: Int) -> Int? {
    all.firstIndex { word & $0.mask == $0.word && length >= $0.role.addressLength }
  }

  private static func make(_ type: SentenceType) -> SentenceRow {
    switch type {
    // Senders omit fields after the quality.
    case .gga:
      SentenceRow(
        type, "GGA", least: 6, position: 0, [.navigation, .once, .solution],
        [
          .time, .position, .quality, .number(.satellitesUsed), .number(.horizontalDilution),
          .number(.altitude, unit: "M"), .number(.geoidSeparation, unit: "M"),
          // The age of the corrections, and the number of the reference station.
          .number(.unused), .count,
        ])
    // Senders omit fields after the position.
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
          // The height above the ellipsoid, which is no altitude.
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

  /// The errors to the north, to the east and down, and in two and in three dimensions. The error in two dimensions is
  /// √(north² + east²). Other versions are not documented.
  private static let quectelError = SentenceRow(
    .positionError, "PQTMEPE", least: 6, [.once, .errors, .proprietary],
    [
      .version(2), .number(.unused), .number(.unused), .number(.verticalError), .number(.horizontalError),
      .number(.unused),
    ])
}

/// The way to read a field, or several fields that are one value.
enum Field: Sendable {
  /// The time of the measurement.
  case time
  /// The time of the receiver's clock.
  case clock
  /// A date `ddmmyy`.
  case date
  /// A date in three fields.
  case dayMonthYear
  /// Latitude and longitude: `ddmm.mmmm,N,dddmm.mmmm,E`.
  case position
  /// The quality of the fix as a number.
  case quality
  /// Whether the position is valid.
  case status
  /// The method of the fix as a letter.
  case mode
  /// The methods of all satellite systems, one letter for each.
  case modes
  /// The status of `PUBX,00`.
  case solution
  /// A number, and its unit if the sentence writes one.
  case number(Value, in: Scale = .one, unit: Unicode.Scalar? = nil)
  /// One of these letters, which has no use.
  case letter(Letters)
  /// One of these letters, or the method of the fix: some receivers omit the letter of the magnetic variation.
  case letterOrMode(Letters)
  /// The version of the sentence. The fields of another version are not read.
  case version(Int)
  /// The dimensions of the fix, or 1 without a fix.
  case dimensions
  /// The numbers of the used satellites.
  case slots
  /// The system id of GSA.
  case system
  /// The number of sentences in a group of GSV, and the position of the sentence in it.
  case parts, part
  /// The satellites of GSV, and their signal.
  case satellites
  /// A count that no epoch uses.
  case count
  /// The code of the datum.
  case datum
  case unused
}

/// A number that an epoch uses.
enum Value: Int, Sendable, CaseIterable {
  /// Metres above mean sea level; metres of the geoid above the ellipsoid.
  case altitude, geoidSeparation
  /// Metres per second; degrees from true north, 0..<360.
  case speed, course
  case satellitesUsed
  case horizontalDilution, verticalDilution, positionDilution
  /// One standard deviation in metres.
  case latitudeError, longitudeError, altitudeError, verticalError
  /// The distance root mean square in metres, which is the definition of `Epoch.horizontalAccuracy`.
  case horizontalError
  /// A number that no epoch uses. It is read, so that the decoder counts the fields that it does not understand.
  case unused

  /// The numbers that a field of this value may contain.
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

/// The unit of a number, as a factor and a divisor.
enum Scale: Sendable {
  case one, knots, kilometresPerHour
  /// The radius of a circle that contains half of the positions. The factor is √2 / √(2 ln 2), for the distance root mean
  /// square.
  case medianRadius
  /// A distance from the mean within which half of the values of a normal distribution are. The factor is for the standard
  /// deviation.
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

/// A set of capital letters.
struct Letters: ExpressibleByStringLiteral, Sendable {
  private var mask: UInt32 = 0

  init(stringLiteral letters: String) {
    for letter in letters.utf8 { mask |= 1 << UInt32(letter - UInt8(ascii: "A")) }
  }

  func contains(_ letter: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) && mask >> UInt32(letter - UInt8(ascii: "A")) & 1 == 1
  }
}
