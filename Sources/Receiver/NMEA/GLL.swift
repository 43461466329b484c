public import Base
public import GNSS

/// Position and time. (NMEA 0183 v4.11 GLL; 6 or 7 fields, depending on the version; 4 fields in version 1.5)
public struct GLL: Hashable, Sendable {
  /// The position; nil if the fields are empty. (fields 1 to 4)
  public var coordinate: Coordinate?
  /// The time of the measurement. (field 5)
  public var time: TimeOfDay?
  /// Whether the status is `A` (valid). In version 1.5, which has no status, every position is valid. (field 6)
  public var isValid: Bool
  /// The method of the fix. (field 7, v2.3+)
  public var mode: ModeIndicator?

  @inline(__always)
  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    let failure = fields.readCoordinate(&coordinate, in: bytes)
    guard !fields.isOverrun else { throw fields.invalid(in: bytes) }
    if fields.hasMore { time = try fields.time(in: bytes) }
    isValid = fields.hasMore ? try fields.status(in: bytes) : failure != nil || coordinate != nil
    if let failure, isValid { throw failure }
    if fields.hasMore { mode = fields.mode(in: bytes) }
    fields.noteRest(in: bytes)
  }

  /// Whether the sentence reports a valid position.
  public var hasFix: Bool { isValid && coordinate != nil && mode?.deniesFix != true }
}
