/// The receiver's estimate of the error of its position, in a sentence of its manufacturer. (Garmin `PGRME`; Quectel
/// `PQTMEPE`)
public struct PositionError: Hashable, Sendable {
  /// A sentence with an estimate.
  public enum Source: String, Hashable, Sendable {
    /// The sentence of Garmin.
    case garmin = "PGRME"
    /// The sentence of Quectel.
    case quectel = "PQTMEPE"
  }

  /// The sentence that contains the estimate.
  public var source: Source
  /// The horizontal error in metres, 0 for an unknown one, as distance root mean square, which is the definition of
  /// `Epoch.horizontalAccuracy`.
  public var horizontal: Double?
  /// The vertical error in metres, one standard deviation; 0 for an unknown one.
  public var vertical: Double?

  /// The distance root mean square of a circle that contains half of the positions and has the radius 1: √2 / √(2 ln 2).
  private static let rootMeanSquarePerMedianRadius = 1.2011
  /// The standard deviation of a normal distribution, half of which is within a distance of 1 from its mean.
  private static let deviationPerMedianDistance = 1.4826

  init(_ fields: inout Fields, in bytes: Span<UInt8>, source: Source) throws(NMEAError) {
    self.source = source
    try fields.requireLeast()
    switch source {
    case .garmin:
      // Garmin does not publish the probability. By common belief it is 50 %, and this assumption gives the larger of
      // the possible errors. 999.9 stands for every larger error, and is used as it is. (The third value, the error in
      // three dimensions, is not used.)
      horizontal = fields.value(fields.magnitude(in: bytes), unit: 0x4D, in: bytes)
        .map { $0 * PositionError.rootMeanSquarePerMedianRadius }
      vertical = fields.value(fields.magnitude(in: bytes), unit: 0x4D, in: bytes)
        .map { $0 * PositionError.deviationPerMedianDistance }
    case .quectel:
      // The fields are the version of the sentence, the errors to the north, to the east and down, and the errors in
      // two and in three dimensions. The error in two dimensions is √(north² + east²). Other versions are not documented.
      guard fields.integer(in: bytes) == 2 else { return }
      fields.skip(in: bytes)
      fields.skip(in: bytes)
      vertical = fields.magnitude(in: bytes)
      horizontal = fields.magnitude(in: bytes)
    }
  }
}
