public import Clocks

/// Fault detection: expected errors and the satellite that is most likely at fault. (NMEA 0183 v4.11 GBS; 8 fields
/// before 4.11, 10 since)
public struct GBS: Hashable, Sendable {
  public var time: TimeOfDay?
  /// Expected errors, metres.
  public var latitudeError: Double?
  public var longitudeError: Double?
  public var altitudeError: Double?
  public var failedSatellite: Int?
  /// Probability that the fault is missed, 0...1.
  public var missProbability: Double?
  /// Metres.
  public var bias: Double?
  /// Of the bias, metres.
  public var standardDeviation: Double?
  public var systemID: Int?
  public var signal: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    guard fields.count == 8 || fields.count == 10 else { throw .fieldCount(.gbs, fields.count) }
    time = try fields.time(in: bytes)
    latitudeError = try fields.decimal(in: bytes)
    longitudeError = try fields.decimal(in: bytes)
    altitudeError = try fields.decimal(in: bytes)
    failedSatellite = try fields.integer(in: bytes)
    missProbability = try fields.decimal(in: bytes)
    bias = try fields.decimal(in: bytes)
    standardDeviation = try fields.decimal(in: bytes)
    if fields.count == 10 {
      systemID = try fields.systemID(in: bytes)
      signal = try fields.systemID(in: bytes)
    }
  }
}
