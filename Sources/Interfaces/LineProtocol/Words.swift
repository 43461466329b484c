/// A reader of the words of a protocol line, from left to right. A word is a range of byte indices in the line, so that
/// no text is copied.
struct Words: ~Escapable {
  typealias Word = Range<Int>

  private let bytes: Span<UInt8>
  private var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// The next word, which stays unread; nil at the end of the protocol line.
  var peek: Word? {
    let start = Words.skipSpaces(bytes, from: position)
    guard start < bytes.count else { return nil }
    var end = start + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: " ") { end += 1 }
    return start..<end
  }

  mutating func skip() { _ = next() }

  mutating func next() -> Word? {
    guard let word = peek else { return nil }
    position = word.upperBound
    return word
  }

  /// Reads the next word as a `key=value` pair; nil at the end of the line.
  ///
  /// The returned key is nil if the key is unknown. The value is empty if the word has no `=`.
  /// - Parameter free: A key whose value extends to the end of the line.
  @_lifetime(self: copy self)
  mutating func pair(restOf free: Key? = nil) -> (key: Key?, value: Word)? {
    guard let (name, value) = field() else { return nil }
    let key = Key.all.first { matches(name, $0.rawValue) }
    guard let key, key == free, value.lowerBound > name.upperBound else { return (key, value) }
    position = bytes.count
    return (key, value.lowerBound..<bytes.count)
  }

  /// Reads the next word as a `key=value` pair with any key. Returns nil at the end of the line.
  mutating func field() -> (key: Word, value: Word)? {
    guard let word = next() else { return nil }
    guard let sign = word.first(where: { bytes[$0] == UInt8(ascii: "=") }) else {
      return (word, word.upperBound..<word.upperBound)
    }
    return (word.lowerBound..<sign, sign + 1..<word.upperBound)
  }

  /// The unread part of the line, without its leading spaces.
  var remainder: Word { Words.skipSpaces(bytes, from: position)..<bytes.count }

  /// Reads the next word if the word is a tag, which begins with `@`. Otherwise returns nil and reads nothing.
  mutating func tag() -> String? {
    guard let word = peek, first(word) == UInt8(ascii: "@") else { return nil }
    skip()
    return text(word)
  }

  @_lifetime(self: copy self)
  mutating func argument(_ what: String) throws(LineError) -> Word {
    guard let word = next() else { throw LineError(.badArgument, "\(what) is missing") }
    return word
  }

  @_lifetime(self: copy self)
  mutating func token(_ what: String) throws(LineError) -> String {
    let word = try argument(what)
    guard isToken(word) else {
      throw LineError(.badArgument, "\(what) must have 1 to 32 letters, digits, dots, dashes or underscores")
    }
    return text(word)
  }

  @_lifetime(self: copy self)
  mutating func number(_ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int {
    try number(try argument(what), what, in: range)
  }

  @_lifetime(self: copy self)
  mutating func optionalNumber(_ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int? {
    guard let word = next() else { return nil }
    return try number(word, what, in: range)
  }

  /// Whether a protocol line has control characters; nil if the line is not UTF-8.
  static func hasControls(_ line: Span<UInt8>) -> Bool? {
    guard (try? UTF8Span(validating: line)) != nil else { return nil }
    for index in line.indices where line[index] < 0x20 || line[index] == 0x7F { return true }
    return false
  }

  private static func skipSpaces(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
    return index
  }
}

extension Words {
  /// Returns a copy of the word as a string.
  func text(_ word: Word) -> String {
    let bytes = bytes.extracting(word)
    guard let text = try? UTF8Span(validating: bytes) else { return "" }
    return String(copying: text)
  }

  /// Returns a copy of the word with ASCII letters in lower case.
  func lowercased(_ word: Word) -> String {
    guard word.contains(where: { Words.lowercased(bytes[$0]) != bytes[$0] }) else { return text(word) }
    return String(decoding: word.map { Words.lowercased(bytes[$0]) }, as: UTF8.self)
  }

  func first(_ word: Word) -> UInt8? { word.isEmpty ? nil : bytes[word.lowerBound] }

  func byte(_ index: Int) -> UInt8 { bytes[index] }

  /// Whether a word equals an ASCII text. The comparison ignores upper and lower case.
  func matches(_ word: Word, _ text: String) -> Bool {
    guard text.utf8.count == word.count else { return false }
    var index = word.lowerBound
    for byte in text.utf8 {
      guard Words.lowercased(bytes[index]) == Words.lowercased(byte) else { return false }
      index += 1
    }
    return true
  }

  func choice<Choice>(_ word: Word, of choices: [Choice]) -> Choice? where Choice: RawRepresentable<String> {
    choices.first { matches(word, $0.rawValue) }
  }

  func number(_ word: Word, _ what: String, in range: ClosedRange<Int>) throws(LineError) -> Int {
    guard let value = number(word), range.contains(value) else {
      let bounds =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw LineError(.badArgument, "\(what) must be a whole number, \(bounds)")
    }
    return value
  }

  /// Returns the value of a word of decimal digits; nil if the word has other characters, or if the value exceeds
  /// `Int`.
  func number(_ word: Word) -> Int? {
    guard !word.isEmpty else { return nil }
    var value = 0
    for index in word {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowed) = tens.addingReportingOverflow(Int(digit))
      guard !overflows, !overflowed else { return nil }
      value = sum
    }
    return value
  }

  func isHex(_ word: Word, digits: Int) -> Bool {
    word.count == digits && word.allSatisfy { Checksum.digit(bytes[$0]) != nil }
  }

  /// Whether a word has 1 to 32 characters, all of them letters, digits, `.`, `-` or `_`.
  func isToken(_ word: Word) -> Bool {
    (1...32).contains(word.count) && word.allSatisfy { Words.isOfToken(bytes[$0]) }
  }

  static func isToken(_ text: some StringProtocol) -> Bool {
    (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(isOfToken)
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
