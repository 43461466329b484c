/// A port that takes bytes too: a receiver that can be configured.
package protocol CommandPort: BytePort {
  /// Whether the receiver would understand what is sent now: false while the speed at which it listens is looked for.
  /// Once bytes were handed over, it is known.
  var isSpeedKnown: Bool { get }

  /// What the line carries, bytes per second; nil where that is not known, or is no limit.
  var lineCapacity: Int? { get }

  /// What failed on the line itself, by its cause in a word, since it was opened; none where the line does not tell.
  var faults: [String: Int] { get }

  /// The same since the program began.
  var allFaults: [String: Int] { get }

  /// Hands bytes over, to be sent in order while the port is open. It does not wait until they are sent.
  ///
  /// Guaranteed: none is sent twice or out of order. Not guaranteed: that the receiver gets them.
  /// - Throws: `HardwareError` where the port is not open, or cannot send them.
  func send(_ bytes: [UInt8]) async throws
}

extension CommandPort {
  package var faults: [String: Int] { [:] }

  package var allFaults: [String: Int] { faults }
}
