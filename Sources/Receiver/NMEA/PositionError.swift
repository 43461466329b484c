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
  /// The horizontal error in metres as distance root mean square, which is the definition of
  /// `Epoch.horizontalAccuracy`.
  public var horizontal: Double?
  /// The vertical error in metres, one standard deviation.
  public var vertical: Double?

  /// The distance root mean square of a circle that contains half of the positions and has the radius 1: √2 / √(2 ln 2).
  private static let rootMeanSquarePerMedianRadius = 1.2011
  /// The standard deviation of a normal distribution, half of which is within a distance of 1 from its mean.
  private static let deviationPerMedianDistance = 1.4826
  /// The errors that Garmin's receivers report, in metres. 999.9 stands for every larger error.
  private static let garminErrors = 0.0..<999.9
  /// The plausible errors of Quectel's receivers in metres.
  private static let quectelErrors = 0.0..<100_000.0

  init(_ fields: inout Fields, in bytes: Span<UInt8>, source: Source) throws(NMEAError) {
    self.source = source
    try fields.require(6...6)
    switch source {
    case .garmin:
      // Garmin does not publish the probability. By common belief it is 50 %, and this assumption gives the larger of
      // the possible errors. (The third value, the error in three dimensions, is not used.)
      let horizontal = try fields.error(in: bytes, PositionError.garminErrors)
      try fields.unit(0x4D, in: bytes)
      let vertical = try fields.error(in: bytes, PositionError.garminErrors)
      try fields.unit(0x4D, in: bytes)
      self.horizontal = horizontal.map { $0 * PositionError.rootMeanSquarePerMedianRadius }
      self.vertical = vertical.map { $0 * PositionError.deviationPerMedianDistance }
    case .quectel:
      // The fields are the version of the sentence, the errors to the north, to the east and down, and the errors in
      // two and in three dimensions. The error in two dimensions is √(north² + east²). Other versions are not documented.
      guard try fields.integer(in: bytes) == 2 else { return }
      fields.skip(in: bytes)
      fields.skip(in: bytes)
      vertical = try fields.error(in: bytes, PositionError.quectelErrors)
      horizontal = try fields.error(in: bytes, PositionError.quectelErrors)
    }
  }
}

extension Fields {
  /// Reads an error. Every position has an error, so 0 is unknown, like a value out of range.
  fileprivate mutating func error(in bytes: Span<UInt8>, _ range: Range<Double>) throws(NMEAError) -> Double? {
    try magnitude(in: bytes).flatMap { $0 > 0 && range.contains($0) ? $0 : nil }
  }
}
