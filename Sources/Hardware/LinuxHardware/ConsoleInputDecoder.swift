import Hardware

/// A decoder of break signals in the bytes of a terminal device. The three bytes that stand for a break, 0xFF 0x00
/// 0x00, may arrive in different chunks. (termios(3), PARMRK)
struct ConsoleInputDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    /// 0xFF was received.
    case marked
    /// 0xFF and 0x00 were received. A third byte 0 means a break. Any other third byte had a parity error or a framing
    /// error.
    case condition
  }

  private var state = State.ground

  /// Returns the inputs in order, without empty byte arrays.
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
