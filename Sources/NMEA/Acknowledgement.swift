/// What became of a command. (MediaTek `PMTK001`; Airoha and Quectel `PAIR001`)
public struct Acknowledgement: Hashable, Sendable {
  public enum Result: Hashable, Sendable {
    case succeeded
    /// The command is being carried out and will be acknowledged again.
    case processing
    case failed
    case unsupported
    /// A parameter is wrong.
    case invalid
    case busy
  }

  public enum Family: Hashable, Sendable {
    case pmtk, pair
  }

  public var family: Family
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
