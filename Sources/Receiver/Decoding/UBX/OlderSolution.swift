import Base
import GNSS

/// The messages of one instant from a receiver before u-blox 7. Together, the messages contain the same data as the
/// newer message NAV-PVT.
///
/// NAV-SOL alone is a complete solution. NAV-POSLLH does not contain the validity of its position, so NAV-STATUS of the
/// same instant is also necessary.
struct OlderSolution: Sendable {
  var solution: NavSOL?
  var position: NavPOSLLH?
  var velocity: NavVELNED?
  var status: NavSTATUS?
  var time: NavTIMEUTC?

  var isComplete: Bool { solution != nil || (position != nil && status != nil) }
  var hasVelocity: Bool { solution != nil || velocity != nil }

  /// Returns the data of all messages as a NAV-PVT message; nil if a necessary message is missing.
  ///
  /// - Parameters:
  ///   - leapSeconds: the difference between GPS time and UTC in seconds; nil if unknown.
  ///   - dilution: the dilutions of precision of the same instant; nil if unknown.
  func combined(leapSeconds: Int?, dilution: NavDOP?) -> NavPVT? {
    guard isComplete else { return nil }
    let fixed = solution.flatMap { EarthCentredPoint($0.position).geodetic }
    guard let first = solution?.timeOfWeek ?? position?.timeOfWeek else { return nil }
    let clock = clock(leapSeconds: leapSeconds)
    var combined = NavPVT(
      timeOfWeek: first, fixType: solution?.fixType ?? status?.fixType ?? .none,
      isFixOK: solution?.isFixOK ?? status?.isFixOK ?? false,
      isDifferential: solution?.isDifferential ?? status?.isDifferential ?? false,
      satellitesUsed: solution?.satellitesUsed ?? 0)
    (combined.date, combined.timeOfDay) = (clock?.date, clock?.timeOfDay)
    combined.isTimeResolved = clock != nil
    combined.positionDilution = solution?.positionDilution
    if let position {
      combined.coordinate = position.coordinate
      combined.height = position.coordinate == nil ? nil : position.height
      combined.altitude = position.coordinate == nil ? nil : position.altitude
      combined.horizontalAccuracy = position.horizontalAccuracy
      combined.verticalAccuracy = position.verticalAccuracy
    } else if let fixed {
      combined.coordinate = fixed.coordinate
      combined.height = fixed.height
      combined.horizontalAccuracy = accuracy(dilution?.horizontal)
      combined.verticalAccuracy = accuracy(dilution?.vertical)
    }
    if let velocity {
      combined.speed = velocity.speed
      combined.course = velocity.course
      combined.speedAccuracy = velocity.speedAccuracy
      combined.courseAccuracy = velocity.courseAccuracy
    } else if let solution, let coordinate = combined.coordinate {
      write(EarthCentredPoint(solution.velocity), solution.speedAccuracy, at: coordinate, to: &combined)
    }
    return combined
  }

  /// Returns the horizontal or the vertical error of the position in metres. NAV-SOL contains only the error in three
  /// dimensions, so the function multiplies this error by `part` / PDOP. `part` is HDOP or VDOP (dilutions of
  /// precision).
  ///
  /// In recordings of M8 receivers, the result is equal to the error in NAV-PVT. Without dilutions of precision, the
  /// result is the error in three dimensions.
  private func accuracy(_ part: Double?) -> Double? {
    guard let solution, let whole = solution.positionAccuracy else { return nil }
    guard let part, let position = solution.positionDilution, part < position else { return whole }
    return whole * part / position
  }

  private func write(
    _ velocity: EarthCentredPoint, _ accuracy: Double?, at coordinate: Coordinate, to combined: inout NavPVT
  ) {
    let (north, east) = velocity.directions(at: coordinate)
    let speed = (north * north + east * east).squareRoot()
    combined.speed = speed
    combined.course = EarthCentredPoint.course(north: north, east: east)
    combined.speedAccuracy = accuracy
    // NAV-SOL has no error of the course. For small angles, this error in radians is the error of the speed divided by
    // the speed. A receiver that stands has no course.
    combined.courseAccuracy = accuracy.map { speed > $0 ? $0 / speed * 180 / .pi : 180 }
  }

  /// Returns the date and the time of day in UTC; nil if unknown. The function computes UTC from the GPS time in
  /// NAV-SOL and the leap seconds.
  private func clock(leapSeconds: Int?) -> (date: UTCDate, timeOfDay: TimeOfDay)? {
    if let date = time?.date, let timeOfDay = time?.timeOfDay { return (date, timeOfDay) }
    guard let solution, let week = solution.week, let leapSeconds else { return nil }
    let billion = 1_000_000_000
    let inWeek = Int(solution.timeOfWeek) * 1_000_000 + Int(solution.fraction) - leapSeconds * billion
    let day = 86_400 * billion
    let days = inWeek >= 0 ? inWeek / day : (inWeek + 1) / day - 1
    let inDay = inWeek - days * day
    // GPS time began on 1980-01-06, which is day 3657 since 1970.
    guard let date = UTCDate(daysSince1970: 3657 + week * 7 + days),
      let timeOfDay = TimeOfDay(
        hour: inDay / (3600 * billion), minute: inDay / (60 * billion) % 60, second: inDay / billion % 60,
        nanosecond: inDay % billion)
    else { return nil }
    return (date, timeOfDay)
  }
}

extension EarthCentredPoint {
  fileprivate init(_ vector: SIMD3<Double>) { self.init(x: vector.x, y: vector.y, z: vector.z) }
}
