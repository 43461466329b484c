public import Clocks
public import GNSS

/// A fix as an app receives it: SI units, UTC, WGS 84. A field that is not known is absent.
public struct FixReport: Hashable, Sendable {
  /// When the position was measured; for reduced accuracy the UTC quarter hour at or before the disclosure.
  public var time: UTCTime?
  /// Where; of reduced accuracy, the node of the lattice.
  public var coordinate: Coordinate
  /// Radius in metres of the circle that holds the true position with 68 % probability.
  public var horizontalAccuracy: Double
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Metres, 68 %.
  public var verticalAccuracy: Double?
  /// Metres per second over ground.
  public var speed: Double?
  /// Metres per second, 68 %.
  public var speedAccuracy: Double?
  /// Degrees from true north.
  public var course: Double?
  /// Degrees, 68 %.
  public var courseAccuracy: Double?
  /// Whether it has an altitude; nil where that is not told.
  public var mode: FixMode?
  /// Satellites in the solution.
  public var satellites: Int?
  /// How precise it is.
  public var accuracy: FixAccuracy
  /// Milliseconds from the measurement's arrival to the disclosure.
  public var age: Int64?
  /// Height of the geoid above the ellipsoid, metres.
  public var geoidSeparation: Double?
  /// Dimensionless; nil where unknown.
  public var dilutionOfPrecision: DilutionOfPrecision
  /// How it was made.
  public var quality: FixQuality?
  /// Whether it was reckoned from earlier measurements; `age` is the last one's.
  public var isCoasted = false

  /// A full fix, disclosed at an instant; nil for a recorded one, which has no age.
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
  }

  /// A reduced fix: time, place and radius alone.
  public init(reduced coordinate: Coordinate, horizontalAccuracy: Double, time: UTCTime) {
    self.init(coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, accuracy: .reduced)
    self.time = time
  }

  /// A fix of which only this is known.
  public init(coordinate: Coordinate, horizontalAccuracy: Double, accuracy: FixAccuracy) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.accuracy = accuracy
    dilutionOfPrecision = DilutionOfPrecision()
  }

  /// One JSON object, as the line protocol carries it.
  public var json: String {
    var buffer = TextBuffer(capacity: 512)
    write(to: &buffer)
    return buffer.text
  }

  /// Appends the JSON object.
  public func write(to buffer: inout TextBuffer) {
    buffer.beginObject()
    buffer.add("time", time)
    buffer.add("lat", coordinate.latitude)
    buffer.add("lon", coordinate.longitude)
    writeProperties(to: &buffer)
    buffer.endObject()
  }

  /// Appends the members that say neither when nor where.
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
    buffer.add("age_ms", age)
    buffer.add("geoid", geoidSeparation)
    buffer.add("hdop", dilutionOfPrecision.horizontal)
    buffer.add("pdop", dilutionOfPrecision.position)
    buffer.add("vdop", dilutionOfPrecision.vertical)
    buffer.add("quality", quality?.name)
    buffer.add("coasted", isCoasted ? true : nil)
  }
}

extension FixMode {
  /// As the line protocol writes it.
  public var name: String {
    switch self {
    case .twoDimensional: "2d"
    case .threeDimensional: "3d"
    }
  }

  /// Nil for what the line protocol does not write.
  public init?(name: String) {
    switch name {
    case "2d": self = .twoDimensional
    case "3d": self = .threeDimensional
    default: return nil
    }
  }
}

extension FixQuality {
  /// As the line protocol writes it.
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

  /// Nil for what the line protocol does not write.
  public init?(name: String) {
    guard let quality = (0...8).compactMap(FixQuality.init).first(where: { $0.name == name }) else { return nil }
    self = quality
  }
}
