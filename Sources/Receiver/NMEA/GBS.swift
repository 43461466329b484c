public import Clocks

/// Fault detection: expected errors and the satellite that is most likely at fault. (NMEA 0183 v4.11 GBS; 8 fields
/// before 4.11, 10 since)
public struct GBS: Hashable, Sendable {
  /// When the fix was that it is about. (field 1)
  public var time: TimeOfDay?
  /// Expected errors, metres.
  public var latitudeError: Double?
  /// Expected error of the longitude, metres. (field 3)
  public var longitudeError: Double?
  /// Expected error of the altitude, metres. (field 4)
  public var altitudeError: Double?
  /// The satellite that is most likely to be at fault, as the receiver numbers it. (field 5)
  public var failedSatellite: Int?
  /// Probability that the fault is missed, 0...1.
  public var missProbability: Double?
  /// Metres.
  public var bias: Double?
  /// Of the bias, metres.
  public var standardDeviation: Double?
  /// The system of that satellite, 1...15. (field 9, v4.10+)
  public var systemID: Int?
  /// Its signal, 0...15. (field 10, v4.10+)
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
