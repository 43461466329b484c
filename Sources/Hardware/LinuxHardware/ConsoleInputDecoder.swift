import Hardware

/// A decoder of break signals in the bytes of a terminal device. The kernel reports a break as the bytes 0xFF 0x00
/// 0x00, which may arrive in different chunks. (termios(3), PARMRK)
struct ConsoleInputDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    /// The byte 0xFF has arrived. The kernel writes this byte before a break signal, a transmission error or a data
    /// byte 0xFF.
    case marked
    /// The bytes 0xFF 0x00 have arrived. A third byte 0x00 means a break. A different third byte is data with a
    /// transmission error.
    case condition
  }

  private var state = State.ground

  /// Returns the input in order, as data bytes and break signals. The function removes the bytes with which the kernel
  /// marks break signals and transmission errors.
  mutating func decode(_ received: some Sequence<UInt8>) -> [ConsoleInput] {
    var inputs: [ConsoleInput] = []
    var bytes: [UInt8] = []
    for byte in received {
      switch (state, byte) {
      case (.ground, 0xFF): state = .marked
      case (.ground, _): bytes.append(byte)
      case (.marked, 0x00): state = .condition
      case (.marked, _):
        // 0xFF 0xFF stands for the byte 0xFF.
        state = .ground
        bytes.append(byte)
      case (.condition, 0x00):
        state = .ground
        if !bytes.isEmpty { inputs.append(.bytes(bytes)) }
        bytes = []
        inputs.append(.breakCondition)
      case (.condition, _):
        // A byte with a parity error or a framing error is noise.
        state = .ground
      }
    }
    if !bytes.isEmpty { inputs.append(.bytes(bytes)) }
    return inputs
  }
}
