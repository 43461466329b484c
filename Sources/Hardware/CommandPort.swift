/// A port that takes bytes too: a receiver that can be configured.
package protocol CommandPort: BytePort {
  /// Hands bytes over, to be sent in order while the port is open.
  ///
  /// Guaranteed: none is sent twice or out of order. Not guaranteed: that the receiver gets them.
  /// - Throws: `HardwareError` where the port is not open, or cannot send them.
  func send(_ bytes: [UInt8]) async throws
}
