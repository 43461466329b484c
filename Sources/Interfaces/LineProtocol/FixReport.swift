public import Base
public import GNSS

/// A fix (position, time and related values) as an app receives it, in SI units, UTC and WGS 84. Unknown values are
/// nil.
public struct FixReport: Hashable, Sendable {
  /// The time of the position in UTC; nil if unknown.
  ///
  /// With full accuracy, the time is that of the measurement, or the later time of the press of the button for the fix.
  /// With the other accuracies, the time is the last quarter hour of UTC before the transmission.
  public var time: UTCTime?
  /// The time of the measurement, for a fix with full accuracy after a press of the button; nil for other fixes.
  public var measured: UTCTime?
  /// The position; nil if the report has the name of a place (a circle on the ground) instead. With reduced accuracy,
  /// the position is a grid point near the true position.
  public var coordinate: Coordinate?
  /// The radius in metres of the circle that contains the true position with a probability of 68 %; nil without a
  /// position. With reduced accuracy, the probability is 95 %.
  public var horizontalAccuracy: Double?
  /// The name of the place (a circle on the ground that an owner has named) that contains the position, or
  /// `NamedPlace.away`. Nil if the report has a position.
  public var place: String?
  /// The altitude above mean sea level in metres; nil if unknown.
  public var altitude: Double?
  /// The vertical accuracy in metres, with a probability of 68 %; nil if unknown.
  public var verticalAccuracy: Double?
  /// The speed over ground in metres per second; nil if unknown.
  public var speed: Double?
  /// The accuracy of the speed in metres per second, with a probability of 68 %; nil if unknown.
  public var speedAccuracy: Double?
  /// The course in degrees from true north; nil if unknown.
  public var course: Double?
  /// The accuracy of the course in degrees, with a probability of 68 %; nil if unknown.
  public var courseAccuracy: Double?
  /// Whether the fix has two or three dimensions: 2D without an altitude, 3D with an altitude. Nil if unknown.
  public var mode: FixMode?
  /// The count of satellites with which the receiver computed the fix; nil if unknown.
  public var satellites: Int?
  /// The accuracy of the report: full, reduced, or only the name of a place (a circle on the ground).
  public var accuracy: FixAccuracy
  /// The time from the arrival of the measurement to the transmission of the report, in milliseconds. Nil for a
  /// recorded fix, or if the accuracy is not full.
  public var age: Int64?
  /// The height of the geoid above the WGS 84 ellipsoid in metres; nil if unknown.
  public var geoidSeparation: Double?
  /// The dilutions of precision (horizontal, vertical and position), which have no unit.
  public var dilutionOfPrecision: DilutionOfPrecision
  /// The method by which the receiver computed the fix, for example RTK; nil if unknown.
  public var quality: FixQuality?
  /// Whether the gateway extrapolated the position from earlier measurements. `age` is then the time since the last
  /// measurement.
  public var isCoasted = false
  /// The reason why the position may be false, for example signs of spoofing; nil if there is no such reason.
  public var suspicion: SignalSuspicion?

  /// Creates a report with full accuracy.
  /// - Parameters:
  ///   - fix: The fix, with all data of the receiver.
  ///   - disclosed: The instant at which the app receives the fix, for the value of `age`. Nil for a recorded fix,
  ///     which has no age.
  public init(_ fix: Fix, disclosed: MonotonicInstant?) {
    time = fix.time
    coordinate = fix.coordinate
    horizontalAccuracy = fix.horizontalAccuracy
    altitude = fix.altitude
    verticalAccuracy = fix.verticalAccuracy
    speed = fix.speed
    speedAccuracy = fix.speedAccuracy
    course = fix.course
    courseAccuracy = fix.courseAccuracy
    mode = fix.mode
    satellites = fix.satellitesUsed
    accuracy = .full
    age = disclosed.map { ($0 - fix.arrived).milliseconds }
    geoidSeparation = fix.geoidSeparation
    dilutionOfPrecision = fix.dilutionOfPrecision
    quality = fix.quality
    isCoasted = fix.isCoasted
    suspicion = fix.suspicion
  }

  /// Creates a report with reduced accuracy, which has only a time, a position and a radius.
  public init(reduced coordinate: Coordinate, horizontalAccuracy: Double, time: UTCTime) {
    self.init(coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, accuracy: .reduced)
    self.time = time
  }

  /// Creates a report with a time and the name of a place (a circle on the ground), or `NamedPlace.away`. All values
  /// except the time and the accuracy are nil.
  public init(place: String, time: UTCTime) {
    self.place = place
    self.time = time
    accuracy = .place
    dilutionOfPrecision = DilutionOfPrecision()
  }

  /// Creates a report from a position, a radius and an accuracy. All other values are nil.
  public init(coordinate: Coordinate, horizontalAccuracy: Double, accuracy: FixAccuracy) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.accuracy = accuracy
    dilutionOfPrecision = DilutionOfPrecision()
  }

  /// The fix as one JSON object of the line protocol.
  public var json: String {
    var buffer = TextBuffer(capacity: 512)
    write(to: &buffer)
    return buffer.text
  }

  /// Appends the fix as one JSON object to a buffer.
  public func write(to buffer: inout TextBuffer) {
    buffer.beginObject()
    writeMembers(to: &buffer)
    buffer.endObject()
  }

  package func writeMembers(to buffer: inout TextBuffer) {
    buffer.add("time", time)
    buffer.add("lat", coordinate?.latitude)
    buffer.add("lon", coordinate?.longitude)
    buffer.add("place", place)
    writeProperties(to: &buffer)
  }

  /// Appends all JSON members of the fix to a buffer, except the time, the position and the place.
  public func writeProperties(to buffer: inout TextBuffer) {
    buffer.add("hacc", horizontalAccuracy)
    buffer.add("alt", altitude)
    buffer.add("vacc", verticalAccuracy)
    buffer.add("speed", speed)
    buffer.add("sacc", speedAccuracy)
    buffer.add("course", course)
    buffer.add("cacc", courseAccuracy)
    buffer.add("fix", mode?.name)
    buffer.add("sats", satellites)
    buffer.add("accuracy", accuracy.rawValue)
    buffer.add("measured", measured)
    buffer.add("age_ms", age)
    buffer.add("geoid", geoidSeparation)
    buffer.add("hdop", dilutionOfPrecision.horizontal)
    buffer.add("pdop", dilutionOfPrecision.position)
    buffer.add("vdop", dilutionOfPrecision.vertical)
    buffer.add("quality", quality?.name)
    buffer.add("coasted", isCoasted ? true : nil)
    buffer.add("suspect", suspicion?.rawValue)
  }
}

extension FixReport {
  /// The members that say how old a fix is and whether its position can be false, as text, for formats other than JSON.
  /// An unknown value is nil.
  package var caveats: KeyValuePairs<String, String?> {
    [
      "measured": measured?.iso8601, "age_ms": age.map { "\($0)" }, "coasted": isCoasted ? "true" : nil,
      "suspect": suspicion?.rawValue,
    ]
  }
}

extension FixMode {
  /// The name of the mode in the line protocol: `2d` or `3d`.
  public var name: String {
    switch self {
    case .twoDimensional: "2d"
    case .threeDimensional: "3d"
    }
  }

  /// Creates the mode from its name in the line protocol, `2d` or `3d`; nil if the name is unknown.
  public init?(name: String) {
    switch name {
    case "2d": self = .twoDimensional
    case "3d": self = .threeDimensional
    default: return nil
    }
  }
}

extension FixQuality {
  /// The name of the quality in the line protocol, for example `rtk-fixed`.
  public var name: String {
    switch self {
    case .invalid: "invalid"
    case .autonomous: "autonomous"
    case .differential: "differential"
    case .precise: "precise"
    case .rtkFixed: "rtk-fixed"
    case .rtkFloat: "rtk-float"
    case .estimated: "estimated"
    case .manual: "manual"
    case .simulator: "simulator"
    }
  }

  /// Creates the quality from its name in the line protocol, for example `rtk-fixed`; nil if the name is unknown.
  public init?(name: String) {
    guard let quality = (0...8).compactMap(FixQuality.init).first(where: { $0.name == name }) else { return nil }
    self = quality
  }
}
