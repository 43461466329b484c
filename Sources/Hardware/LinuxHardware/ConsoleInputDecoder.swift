import Hardware

/// Finds breaks among the bytes of a terminal device, however they are cut. (termios(3), PARMRK)
struct ConsoleInputDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    /// After 0xFF.
    case marked
    /// After 0xFF 0x00: a byte that was received wrong, or 0 for a break.
    case condition
  }

  private var state = State.ground

  /// What has come, in its order; no bytes are empty.
  mutating func take(_ received: some Sequence<UInt8>) -> [ConsoleInput] {
    var inputs: [ConsoleInput] = []
    var bytes: [UInt8] = []
    for byte in received {
      switch (state, byte) {
      case (.ground, 0xFF): state = .marked
      case (.ground, _): bytes.append(byte)
      case (.marked, 0x00): state = .condition
      case (.marked, _):
        // 0xFF stands for itself when it comes twice.
        state = .ground
        bytes.append(byte)
      case (.condition, 0x00):
        state = .ground
        if !bytes.isEmpty { inputs.append(.bytes(bytes)) }
        bytes = []
        inputs.append(.breakCondition)
      case (.condition, _):
        // Noise on the line is nothing that anybody typed.
        state = .ground
      }
    }
    if !bytes.isEmpty { inputs.append(.bytes(bytes)) }
    return inputs
  }
}
