package import GNSS

/// The figures by which a receiver's own words become an honest accuracy.
package enum AccuracyModel {
  /// A circle of this many standard deviations of one axis holds 68 % of a two-dimensional normal distribution.
  /// (Rayleigh quantile: √(−2 ln 0.32))
  package static let radius68 = 1.51
  /// Receivers claim a HDOP below this and are no better for it.
  package static let leastHDOP = 0.35
  /// User equivalent range error of a single-frequency receiver, metres: HDOP × this is the horizontal error.
  package static let rangeError = 3.0
  /// Standard deviation of one axis, metres, where the receiver says nothing of it.
  package static let unknownDeviation = 2.5
  /// Doppler speed: standard deviation in metres per second at rest, and its growth with speed.
  package static let speedDeviation = 0.12
  package static let speedDeviationShare = 0.01
}

extension Fix {
  /// The fix that an epoch states, with accuracies for what its receiver says of its errors: those that came with the
  /// solution, else GST's standard deviations, else HDOP, else a cautious constant. Nil where the epoch has no position.
  package init?(measured epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return nil }
    var horizontal = AccuracyModel.radius68 * AccuracyModel.horizontalDeviation(of: epoch)
    // On another datum the place is off by a shift that is not known: the circle is as large as that.
    if let shift = epoch.datumUncertainty { horizontal = (horizontal * horizontal + shift * shift).squareRoot() }
    let mode = epoch.mode ?? (epoch.altitude == nil ? .twoDimensional : .threeDimensional)
    self.init(
      time: epoch.time, arrived: epoch.began, coordinate: coordinate,
      horizontalAccuracy: AccuracyModel.roundedUp(horizontal), mode: mode,
      dilutionOfPrecision: epoch.dilutionOfPrecision)
    quality = epoch.quality
    satellitesUsed = epoch.satellitesUsed
    if mode == .threeDimensional {
      altitude = epoch.altitude
      geoidSeparation = epoch.geoidSeparation
      verticalAccuracy = AccuracyModel.verticalDeviation(of: epoch).map(AccuracyModel.roundedUp)
    }
    if let speed = epoch.speed {
      let share = AccuracyModel.speedDeviationShare * speed
      let usual = (AccuracyModel.speedDeviation * AccuracyModel.speedDeviation + share * share).squareRoot()
      let deviation = epoch.speedAccuracy ?? usual
      self.speed = (speed * 1000).rounded() / 1000
      speedAccuracy = AccuracyModel.roundedUp(deviation)
      // Across the way the velocity errs as much as along it; for small angles the ratio is the angle. A speed below
      // its own error has no direction.
      if let course = epoch.course, speed > deviation {
        self.course = course
        courseAccuracy = AccuracyModel.roundedUp(min(180, epoch.courseAccuracy ?? deviation / speed * 180 / .pi))
      }
    }
  }
}

extension AccuracyModel {
  /// Standard deviation of one horizontal axis, metres.
  static func horizontalDeviation(of epoch: Epoch) -> Double {
    // It is that of both axes together.
    if let accuracy = epoch.horizontalAccuracy { return accuracy / 2.0.squareRoot() }
    if let statistics = epoch.errorStatistics, let latitude = statistics.latitude, let longitude = statistics.longitude
    {
      return ((latitude * latitude + longitude * longitude) / 2).squareRoot()
    }
    if let hdop = epoch.dilutionOfPrecision.horizontal {
      return max(hdop, leastHDOP) * rangeError / 2.0.squareRoot()
    }
    return unknownDeviation
  }

  /// Standard deviation of the altitude, metres; nil where the receiver says nothing that tells.
  static func verticalDeviation(of epoch: Epoch) -> Double? {
    epoch.verticalAccuracy ?? epoch.errorStatistics?.altitude
      ?? epoch.dilutionOfPrecision.vertical.map { max($0, leastHDOP) * rangeError }
  }

  /// To the next centimetre (or hundredth of another unit): an accuracy is never shown better than it is.
  static func roundedUp(_ value: Double) -> Double {
    (value * 100).rounded(.up) / 100
  }
}
