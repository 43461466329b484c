package import GNSS

/// The conversion of a receiver's own error estimates to a realistic accuracy.
package enum AccuracyModel {
  /// The radius of the circle that contains 68 % of a two-dimensional normal distribution, in standard deviations of
  /// one axis. (Quantile of the Rayleigh distribution: √(−2 ln 0.32))
  package static let radius68 = 1.51
  /// The minimum dilution of precision, horizontal (HDOP) or vertical (VDOP), that the model uses. A receiver may
  /// report a lower value, but its position is not more accurate.
  package static let leastDilution = 0.35
  /// Returns the user equivalent range error in metres. The horizontal root mean square error is this error multiplied
  /// by HDOP (the horizontal dilution of precision).
  ///
  /// The error is 3 m for a single-frequency receiver, and 2 m with SBAS corrections. With carrier phases the error is
  /// 0.6 m, measured with a moving u-blox F9K. (1,573 fixes; a part of the 0.6 m is the distance between the antennas
  /// of the receiver and of the reference)
  package static func rangeError(of quality: FixQuality?) -> Double {
    switch quality {
    case .differential, .precise: 2
    case .rtkFixed, .rtkFloat: 0.6
    case .estimated: 10
    case .autonomous, .invalid, .manual, .simulator, nil: 3
    }
  }
  /// Returns the standard deviation in metres, along one horizontal axis, of the bias (the error that all satellites
  /// have in common). More satellites do not reduce the bias.
  ///
  /// HDOP describes errors that are independent between satellites: the noise, and a part of the reflections. The
  /// errors of the ionosphere and the troposphere are systematic, and the ratio of measured horizontal and vertical
  /// errors does not follow the model of independent errors (D. Milbert, "Dilution of Precision Revisited", Navigation,
  /// 2008). In a range error budget of GPS for the C/A code, the ionosphere has 9.8 to 19.6 m and the troposphere 3.9 m
  /// of 15.7 to 23.1 m in 95 % of cases, beside 2.4 m for reflections and 2.9 m for noise (NAVSTAR GPS User Equipment
  /// Introduction, table 3-1). A usual figure for phones under open sky is 4.9 m (GPS.gov). A bias of 3 m gives a
  /// radius of 4.9 m at a HDOP of 0.6, which phones with several constellations report. Corrections remove most of the
  /// bias, and carrier phases nearly all of it.
  static func bias(of quality: FixQuality?) -> Double {
    switch quality {
    case .differential, .precise: 1
    case .rtkFixed, .rtkFloat: 0.1
    case .autonomous, .estimated, .invalid, .manual, .simulator, nil: 3
    }
  }
  /// The assumed standard deviation in metres, along one horizontal axis, if the receiver reports no accuracy. The
  /// value follows from a HDOP of 1.2, and does not contain the bias.
  package static let unknownDeviation = 2.5
  /// The assumed standard deviation of the altitude in metres, if the receiver reports no accuracy.
  package static let unknownVerticalDeviation = 5.0
  /// The standard deviation in m/s of the speed of a receiver at rest.
  package static let speedDeviation = 0.12
  /// The part of the speed's standard deviation that grows with the speed, as a fraction of the speed. The whole
  /// standard deviation is √(`speedDeviation`² + (`speedDeviationShare` · speed)²).
  package static let speedDeviationShare = 0.01
}

extension Fix {
  /// Creates a fix from one receiver epoch (all data of one instant) without filtering. Returns nil if the epoch has no
  /// position.
  ///
  /// The accuracies come from the first source that is available: the error estimates of the solution, the standard
  /// deviations of the NMEA sentence GST, HDOP, or a cautious constant. If the receiver reports that its accuracy is
  /// unknown, the fix has the worst possible accuracy.
  package init?(measured epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return nil }
    let deviation =
      AccuracyModel.deniesHorizontal(of: epoch)
      ? AccuracyModel.mostDeviation : AccuracyModel.reportedDeviation(of: epoch)
    let horizontal = AccuracyModel.radius(of: deviation, datum: epoch.datumUncertainty)
    let mode = epoch.mode ?? (epoch.altitude == nil ? .twoDimensional : .threeDimensional)
    self.init(
      time: epoch.time, arrived: epoch.began, coordinate: coordinate,
      horizontalAccuracy: horizontal, mode: mode,
      dilutionOfPrecision: epoch.dilutionOfPrecision)
    quality = epoch.quality
    satellitesUsed = epoch.satellitesUsed
    if mode == .threeDimensional {
      altitude = epoch.altitude?.ifReal
      geoidSeparation = epoch.geoidSeparation?.ifReal
      verticalAccuracy = AccuracyModel.verticalDeviation(of: epoch).map(AccuracyModel.roundedUp)
    }
    if let speed = epoch.speed?.ifReal {
      let share = AccuracyModel.speedDeviationShare * speed
      let usual = (AccuracyModel.speedDeviation * AccuracyModel.speedDeviation + share * share).squareRoot()
      let deviation = epoch.speedAccuracy?.ifKnown ?? usual
      self.speed = AccuracyModel.rounded(speed)
      speedAccuracy = AccuracyModel.roundedUp(deviation)
      // The error of the velocity is equally large in all directions. For small angles, the error of the course in
      // radians is the error of the speed divided by the speed. If the speed is smaller than its error, the course is
      // unknown.
      if let course = epoch.course?.ifReal, speed > deviation {
        self.course = course
        courseAccuracy = AccuracyModel.roundedUp(
          min(180, epoch.courseAccuracy?.ifKnown ?? deviation / speed * 180 / .pi))
      }
    }
  }
}

extension AccuracyModel {
  /// The largest standard deviation in metres: a quarter of the earth's circumference.
  static let mostDeviation = 1e7

  /// Returns the standard deviation of the position in metres, along one horizontal axis. The value comes from the
  /// receiver's own estimate, or else from HDOP, or else from a constant. If the receiver estimates the error of one
  /// axis only, the value is not smaller than this error.
  static func reportedDeviation(of epoch: Epoch) -> Double {
    estimatedDeviation(of: epoch)
      ?? max(
        dilutedDeviation(of: epoch) ?? unknownDeviation, epoch.errorStatistics?.latitude?.ifError ?? 0,
        epoch.errorStatistics?.longitude?.ifError ?? 0)
  }

  /// Returns the standard deviation of the position in metres, along one horizontal axis. If the receiver does not
  /// estimate its error, the result also contains the bias (the error that all satellites have in common).
  static func horizontalDeviation(of epoch: Epoch) -> Double {
    if let estimated = estimatedDeviation(of: epoch) { return estimated }
    let (reported, bias) = (reportedDeviation(of: epoch), bias(of: epoch.quality))
    return (reported * reported + bias * bias).squareRoot()
  }

  /// Returns whether the receiver reports an unknown accuracy, and sends no value from which the horizontal error can
  /// be estimated.
  static func deniesHorizontal(of epoch: Epoch) -> Bool {
    epoch.deniesAccuracy && estimatedDeviation(of: epoch) == nil && dilutedDeviation(of: epoch) == nil
  }

  /// Returns the receiver's own estimate of the standard deviation of the position in metres, along one horizontal
  /// axis. Returns nil if the receiver reports no estimate.
  private static func estimatedDeviation(of epoch: Epoch) -> Double? {
    // The accuracy that the solution contains is for both axes together. The division converts it to one axis.
    if let accuracy = epoch.horizontalAccuracy?.ifError { return accuracy / 2.0.squareRoot() }
    if let statistics = epoch.errorStatistics, let latitude = statistics.latitude?.ifError,
      let longitude = statistics.longitude?.ifError
    {
      return ((latitude * latitude + longitude * longitude) / 2).squareRoot()
    }
    return nil
  }

  private static func dilutedDeviation(of epoch: Epoch) -> Double? {
    epoch.dilutionOfPrecision.horizontal?.ifError.map {
      min(mostDeviation, max($0, leastDilution) * rangeError(of: epoch.quality) / 2.0.squareRoot())
    }
  }

  /// Returns the standard deviation of the altitude in metres. Returns nil if the receiver reports no error estimate.
  static func verticalDeviation(of epoch: Epoch) -> Double? {
    let said =
      epoch.verticalAccuracy?.ifError ?? epoch.errorStatistics?.altitude?.ifError
      ?? epoch.dilutionOfPrecision.vertical?.ifError.map { max($0, leastDilution) * rangeError(of: epoch.quality) }
    return said.map { min(mostDeviation, $0) }
  }

  /// Returns the radius in metres of the circle that contains the true position in 68 % of all cases.
  /// - Parameters:
  ///   - deviation: the standard deviation in metres, along one axis.
  ///   - shift: the uncertainty of the receiver's geodetic datum in metres; nil if the receiver uses WGS 84.
  static func radius(of deviation: Double, datum shift: Double?) -> Double {
    let (radius, shift) = (radius68 * deviation, min(mostDeviation, shift?.ifKnown ?? 0))
    return roundedUp((radius * radius + shift * shift).squareRoot())
  }

  /// Returns a value rounded to three decimal places.
  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  /// Returns a value rounded up to two decimal places, so that the reported accuracy is never better than the actual
  /// accuracy.
  static func roundedUp(_ value: Double) -> Double {
    (value * 100).rounded(.up) / 100
  }
}

extension Double {
  /// The largest magnitude of a number that a receiver reports, in metres, m/s or degrees. Only hostile input contains
  /// larger numbers.
  private static let most = 1e8
  /// This number; nil if its magnitude exceeds 1e8, so that no receiver can have measured the number.
  var ifReal: Double? { magnitude <= Self.most ? self : nil }
  /// This number as an error or a dilution of precision, at most 10^7; nil if the number is 0 or negative, which means
  /// unknown.
  var ifError: Double? { self > 0 ? min(self, AccuracyModel.mostDeviation) : nil }
  /// This number; nil if the number is negative or above 1e8, so that no receiver can have measured the number.
  var ifKnown: Double? { self >= 0 ? ifReal : nil }
}
