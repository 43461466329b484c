/// The input of a secret such as a PIN. The console does not show the typed characters, and its history does not
/// contain the secret.
struct SecretEntry: Hashable, Sendable {
  /// The maximum count of characters in a secret. A longer input counts as an empty secret.
  static let capacity = 64

  private var keys = KeyDecoder()
  private var text: [Unicode.Scalar] = []
  private var isOverlong = false

  mutating func process(_ byte: UInt8) -> LineEditor.Outcome? {
    var outcome: LineEditor.Outcome?
    for key in keys.decode(byte) { outcome = process(key) ?? outcome }
    return outcome
  }

  private mutating func process(_ key: Key) -> LineEditor.Outcome? {
    switch key {
    case .enter:
      defer { clear() }
      return .entered(isOverlong ? "" : String(String.UnicodeScalarView(text)))
    case .interrupt:
      clear()
      return .interrupted
    case .endOfInput where text.isEmpty: return .ended
    case .character(let scalar):
      if text.count < Self.capacity { text.append(scalar) } else { isOverlong = true }
    case .backspace: _ = text.popLast()
    case .killToStart: clear()
    case .tab, .left, .right, .up, .down, .home, .end, .delete, .endOfInput, .killToEnd, .killWord, .redraw,
      .pageUp, .pageDown, .suspend, .position, .unknown:
      break
    }
    return nil
  }

  private mutating func clear() {
    text = []
    isOverlong = false
  }
}
