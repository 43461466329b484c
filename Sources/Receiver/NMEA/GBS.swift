public import Base

/// Fault detection: the expected errors, and the satellite that is most likely at fault. (NMEA 0183 v4.11 GBS; 8 fields
/// before version 4.11, 10 fields since)
public struct GBS: Hashable, Sendable {
  /// The time of the fix. (field 1)
  public var time: TimeOfDay?
  /// The expected error of the latitude in metres. (field 2)
  public var latitudeError: Double?
  /// The expected error of the longitude in metres. (field 3)
  public var longitudeError: Double?
  /// The expected error of the altitude in metres. (field 4)
  public var altitudeError: Double?
  /// The receiver's number for the satellite that is most likely at fault. (field 5)
  public var failedSatellite: Int?
  /// The probability that the fault is not detected, 0...1. (field 6)
  public var missProbability: Double?
  /// The estimated bias of the failed satellite in metres. (field 7)
  public var bias: Double?
  /// The standard deviation of the bias in metres. (field 8)
  public var standardDeviation: Double?
  /// The system id of the failed satellite, 1...15. (field 9, v4.10+)
  public var systemID: Int?
  /// The signal id of the failed satellite, 0...15. (field 10, v4.10+)
  public var signal: Int?

  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    time = try fields.time(in: bytes)
    latitudeError = fields.decimal(in: bytes)
    longitudeError = fields.decimal(in: bytes)
    altitudeError = fields.decimal(in: bytes)
    failedSatellite = fields.integer(in: bytes)
    missProbability = fields.decimal(in: bytes)
    bias = fields.decimal(in: bytes)
    standardDeviation = fields.decimal(in: bytes)
    systemID = fields.systemID(in: bytes)
    signal = fields.systemID(in: bytes)
    fields.noteRest(in: bytes)
  }
}
