package import GNSS

/// The figures by which a receiver's own words become an honest accuracy.
package enum AccuracyModel {
  /// A circle of this many standard deviations of one axis holds 68 % of a two-dimensional normal distribution.
  /// (Rayleigh quantile: √(−2 ln 0.32))
  package static let radius68 = 1.51
  /// Receivers claim a HDOP below this and are no better for it.
  package static let leastHDOP = 0.35
  /// User equivalent range error, metres: HDOP × this is the horizontal error (distance root mean square).
  ///
  /// A single-frequency receiver's is 3 m. With carrier phases a moving F9K was measured at 0.6 m, whether its ambiguities
  /// were fixed or not (1,573 fixes; more than they claim, since the antenna of the truth is another); SBAS at 2 m.
  package static func rangeError(of quality: FixQuality?) -> Double {
    switch quality {
    case .differential, .precise: 2
    case .rtkFixed, .rtkFloat: 0.6
    case .estimated: 10
    case .autonomous, .invalid, .manual, .simulator, nil: 3
    }
  }
  /// Standard deviation of one axis, metres, where the receiver says nothing of it.
  package static let unknownDeviation = 2.5
  /// The same of the altitude, where the receiver has one.
  package static let unknownVerticalDeviation = 5.0
  /// Doppler speed: standard deviation in metres per second at rest, and its growth with speed.
  package static let speedDeviation = 0.12
  package static let speedDeviationShare = 0.01
}

extension Fix {
  /// The fix that an epoch states, with accuracies for what its receiver says of its errors: those that came with the
  /// solution, else GST's standard deviations, else HDOP, else a cautious constant. Nil where the epoch has no position.
  package init?(measured epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return nil }
    let horizontal = AccuracyModel.radius(
      of: AccuracyModel.horizontalDeviation(of: epoch), datum: epoch.datumUncertainty)
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
      // Across the way the velocity errs as much as along it; for small angles the ratio is the angle. A speed below
      // its own error has no direction.
      if let course = epoch.course?.ifReal, speed > deviation {
        self.course = course
        courseAccuracy = AccuracyModel.roundedUp(
          min(180, epoch.courseAccuracy?.ifKnown ?? deviation / speed * 180 / .pi))
      }
    }
  }
}

extension AccuracyModel {
  /// A quarter of the earth's circumference: anywhere.
  private static let mostDeviation = 1e7

  /// Standard deviation of one horizontal axis, metres.
  static func horizontalDeviation(of epoch: Epoch) -> Double {
    min(mostDeviation, saidHorizontal(of: epoch) ?? unknownDeviation)
  }

  private static func saidHorizontal(of epoch: Epoch) -> Double? {
    // It is that of both axes together.
    if let accuracy = epoch.horizontalAccuracy?.ifKnown { return accuracy / 2.0.squareRoot() }
    if let statistics = epoch.errorStatistics, let latitude = statistics.latitude?.ifKnown,
      let longitude = statistics.longitude?.ifKnown
    {
      return ((latitude * latitude + longitude * longitude) / 2).squareRoot()
    }
    return epoch.dilutionOfPrecision.horizontal?.ifKnown.map {
      max($0, leastHDOP) * rangeError(of: epoch.quality) / 2.0.squareRoot()
    }
  }

  /// Standard deviation of the altitude, metres; nil where the receiver says nothing that tells.
  static func verticalDeviation(of epoch: Epoch) -> Double? {
    let said =
      epoch.verticalAccuracy?.ifKnown ?? epoch.errorStatistics?.altitude?.ifKnown
      ?? epoch.dilutionOfPrecision.vertical?.ifKnown.map { max($0, leastHDOP) * rangeError(of: epoch.quality) }
    return said.map { min(mostDeviation, $0) }
  }

  /// Radius of the circle that holds 68 %, metres.
  /// - Parameter shift: on another datum the place is off by a shift that is not known: the circle is as large as that.
  static func radius(of deviation: Double, datum shift: Double?) -> Double {
    let (radius, shift) = (radius68 * deviation, min(mostDeviation, shift?.ifKnown ?? 0))
    return roundedUp((radius * radius + shift * shift).squareRoot())
  }

  /// To a thousandth: more digits would be noise.
  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  /// To the next centimetre (or hundredth of another unit): an accuracy is never shown better than it is.
  static func roundedUp(_ value: Double) -> Double {
    (value * 100).rounded(.up) / 100
  }
}

extension Double {
  /// Larger numbers (metres, metres per second, degrees) are said by hostile streams alone.
  private static let most = 1e8
  /// Nil for what a stream may say and no receiver means.
  var ifReal: Double? { magnitude <= Self.most ? self : nil }
  /// The same for what cannot be negative.
  var ifKnown: Double? { self >= 0 ? ifReal : nil }
}
