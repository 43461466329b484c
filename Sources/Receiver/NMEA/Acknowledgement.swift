/// A receiver's reply to a command. (MediaTek `PMTK001`; Airoha and Quectel `PAIR001`)
public struct Acknowledgement: Hashable, Sendable {
  /// The result of a command.
  public enum Result: Hashable, Sendable {
    /// The command succeeded. (PMTK 3, PAIR 0)
    case succeeded
    /// The receiver is still executing the command, and will acknowledge it again. (PAIR 1)
    case processing
    /// The receiver understood the command and could not execute it. (PMTK 2, PAIR 2)
    case failed
    /// The receiver does not know the command. (PMTK 1, PAIR 3)
    case unsupported
    /// A parameter of the command is wrong. (PMTK 0, PAIR 4)
    case invalid
    /// The receiver was busy when the command arrived. (PAIR 5)
    case busy
  }

  /// A command set.
  public enum Family: Hashable, Sendable {
    /// The older (`PMTK`) and the newer (`PAIR`) command set of MediaTek.
    case pmtk, pair
  }

  /// The command set to which the command belongs.
  public var family: Family
  /// The number of the acknowledged command, for example 220 for `PMTK220`.
  public var command: Int
  /// The result; nil for a code that the manuals do not define.
  public var result: Result?

  init(_ fields: inout Fields, in bytes: Span<UInt8>, family: Family) throws(NMEAError) {
    // After the result, PMTK001 may contain parameters of the command.
    try fields.requireLeast()
    self.family = family
    guard let command = fields.integer(in: bytes) else { throw fields.invalid(in: bytes) }
    self.command = command
    switch (family, fields.integer(in: bytes)) {
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
