/// A text of up to eight ASCII characters, without heap storage.
public struct ShortText: Hashable, Sendable, CustomStringConvertible {
  private let word: UInt64

  init(word: UInt64) {
    self.word = word
  }

  /// Whether the text is empty.
  public var isEmpty: Bool { word == 0 }

  public var description: String {
    var text = ""
    var rest = word
    while rest != 0 {
      text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: rest)))
      rest >>= 8
    }
    return text
  }
}
