/// What became of a command. (MediaTek `PMTK001`; Airoha and Quectel `PAIR001`)
public struct Acknowledgement: Hashable, Sendable {
  /// What became of a command.
  public enum Result: Hashable, Sendable {
    /// It was done. (PMTK 3, PAIR 0)
    case succeeded
    /// The command is being carried out and will be acknowledged again.
    case processing
    /// It was understood and could not be done. (PMTK 2, PAIR 2)
    case failed
    /// The receiver does not know it. (PMTK 1, PAIR 3)
    case unsupported
    /// A parameter is wrong.
    case invalid
    /// It came while the receiver was busy. (PAIR 5)
    case busy
  }

  /// Whose commands they are.
  public enum Family: Hashable, Sendable {
    /// MediaTek's older and newer command sets.
    case pmtk, pair
  }

  /// Which set the command is of.
  public var family: Family
  /// The number of the command that is answered, as in 220 of `PMTK220`.
  public var command: Int
  /// Nil for a code that the manuals do not define.
  public var result: Result?

  init(_ fields: inout Fields, in bytes: Span<UInt8>, family: Family) throws(NMEAError) {
    // PMTK001 may repeat parameters behind the flag.
    guard fields.count >= 2 else { throw .fieldCount(.acknowledgement, fields.count) }
    self.family = family
    guard let command = try fields.integer(in: bytes) else { throw fields.invalid(in: bytes) }
    self.command = command
    switch (family, try fields.integer(in: bytes)) {
    case (.pmtk, 0): result = .invalid
    case (.pmtk, 1): result = .unsupported
    case (.pmtk, 2): result = .failed
    case (.pmtk, 3), (.pair, 0): result = .succeeded
    case (.pair, 1): result = .processing
    case (.pair, 2): result = .failed
    case (.pair, 3): result = .unsupported
    case (.pair, 4): result = .invalid
    case (.pair, 5): result = .busy
    default: result = nil
    }
  }
}
