/// The words of a line, read from left to right without copying the line.
struct Words {
  private var rest: Substring

  init(_ line: String) { rest = line[...] }

  var peek: Substring? {
    let trimmed = rest.drop { $0 == " " }
    guard !trimmed.isEmpty else { return nil }
    return trimmed.prefix { $0 != " " }
  }

  mutating func skip() { _ = next() }

  mutating func next() -> Substring? {
    guard let word = peek else { return nil }
    rest = rest[word.endIndex...]
    return word
  }

  /// The next `key=value`, with the key in lower case; a word without `=` is a key with an empty value. The value of
  /// the key `restOf` is the rest of the line.
  mutating func pair(restOf free: String? = nil) -> (key: String, value: String)? {
    guard let word = next() else { return nil }
    guard let sign = word.firstIndex(of: "=") else { return (word.lowercased(), "") }
    let key = word[..<sign].lowercased()
    guard key == free else { return (key, String(word[word.index(after: sign)...])) }
    var value = word[word.index(after: sign)...]
    value = value.base[value.startIndex...]
    rest = value[value.endIndex...]
    return (key, String(value))
  }

  /// What has not been read, without its leading spaces.
  var remainder: String { String(rest.drop { $0 == " " }) }

  /// The next word where it is a tag.
  mutating func tag() -> String? {
    guard let word = peek, word.first == "@" else { return nil }
    skip()
    return String(word)
  }

  mutating func argument(_ what: String) throws(LineError) -> Substring {
    guard let word = next() else { throw LineError(.badArgument, "\(what) is missing") }
    return word
  }

  mutating func token(_ what: String) throws(LineError) -> String {
    let word = try argument(what)
    guard Words.isToken(word, longest: 32) else {
      throw LineError(.badArgument, "\(what) has 1 to 32 letters, digits, dots, dashes, underscores")
    }
    return String(word)
  }

  mutating func number(_ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int {
    try Words.number(try argument(what), what, in: range)
  }

  mutating func optionalNumber(_ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int? {
    guard let word = next() else { return nil }
    return try Words.number(word, what, in: range)
  }

  static func number(_ word: some StringProtocol, _ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int {
    guard word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int(word),
      range.contains(value)
    else {
      let bounds =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw LineError(.badArgument, "\(what) is a whole number, \(bounds)")
    }
    return value
  }

  static func isHex(_ word: some StringProtocol, digits: Int) -> Bool {
    word.utf8.count == digits && word.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  static func isToken(_ word: some StringProtocol, longest: Int) -> Bool {
    (1...longest).contains(word.utf8.count)
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
