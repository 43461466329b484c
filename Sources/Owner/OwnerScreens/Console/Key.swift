import Base

/// A key press on a terminal.
package enum Key: Hashable, Sendable {
  /// A printable character. Control characters, and characters that move or hide other text, are `unknown`.
  case character(Unicode.Scalar)
  case enter
  case tab
  case left
  case right
  case up
  case down
  case home
  case end
  case backspace
  case delete
  /// Ctrl-D: ends the input on an empty line, and deletes the character under the cursor on any other line.
  case endOfInput
  /// Ctrl-C: cancels the present command line.
  case interrupt
  /// Ctrl-K: deletes the text from the cursor to the end of the line.
  case killToEnd
  /// Ctrl-U: deletes the text from the start of the line to the cursor.
  case killToStart
  /// Ctrl-W: deletes the word before the cursor.
  case killWord
  /// Ctrl-L: draws the screen again.
  case redraw
  case pageUp
  case pageDown
  /// Ctrl-Z: suspends the program.
  case suspend
  /// The position of the cursor, which the terminal reports on request. Rows and columns count from 1 (ECMA-48
  /// §8.3.14, CPR).
  case position(row: Int, column: Int)
  /// A key that this program does not use, or bytes that are not valid UTF-8.
  case unknown
}

/// A decoder from the bytes of a terminal to keys: UTF-8 text, control characters, and the escape sequences of a VT100
/// (ECMA-48 §5.4; xterm, "VT100-Style Function Keys").
package struct KeyDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    /// The state after the first bytes of a multi-byte UTF-8 character.
    case text(ScalarBytes)
    /// The state after the byte ESC.
    case escape
    /// The state after `ESC [` and these parameter bytes.
    case sequence([UInt8])
    /// The state after `ESC O`.
    case shifted
  }

  /// The maximum count of stored parameter bytes. No supported key has more parameter bytes, so further bytes are
  /// dropped.
  private static let longestParameters = 16

  private var state = State.ground
  private var isAfterReturn = false

  package init() {}

  /// Decodes one byte, and returns the complete keys. One byte can result in two keys: `unknown` for an incomplete
  /// sequence, and the key of the byte.
  package mutating func decode(_ byte: UInt8) -> [Key] {
    let wasAfterReturn = isAfterReturn
    isAfterReturn = false
    switch state {
    case .text(var bytes):
      switch bytes.append(byte) {
      case .incomplete:
        state = .text(bytes)
        return []
      case .complete(let scalar):
        state = .ground
        return [Key(scalar)]
      case .broken:
        state = .ground
        return [.unknown] + begin(byte, wasAfterReturn)
      }
    case .escape where byte == UInt8(ascii: "["): state = .sequence([])
    case .escape where byte == UInt8(ascii: "O"): state = .shifted
    case .escape where (0x20...0x7E).contains(byte), .shifted where (0x20...0x7E).contains(byte):
      let isArrow = state == .shifted
      state = .ground
      return [isArrow ? KeyDecoder.arrows[byte] ?? .unknown : .unknown]
    case .sequence(let parameters) where (0x20...0x3F).contains(byte):
      if parameters.count < Self.longestParameters { state = .sequence(parameters + [byte]) }
    case .sequence(let parameters) where (0x40...0x7E).contains(byte):
      state = .ground
      switch byte {
      case UInt8(ascii: "~"): return [KeyDecoder.numbered(parameters)]
      case UInt8(ascii: "R"): return [KeyDecoder.position(parameters)]
      default: return [KeyDecoder.arrows[byte] ?? .unknown]
      }
    case .ground, .escape, .sequence, .shifted:
      state = .ground
      return begin(byte, wasAfterReturn)
    }
    return []
  }

  private mutating func begin(_ byte: UInt8, _ wasAfterReturn: Bool) -> [Key] {
    switch byte {
    case 0x0D:
      isAfterReturn = true
      return [.enter]
    // CR LF is one press of the key Enter.
    case 0x0A: return wasAfterReturn ? [] : [.enter]
    case 0x00: break
    case 0x1B: state = .escape
    case 0x20...0x7E: return [Key(Unicode.Scalar(byte))]
    case 0x80...:
      guard let bytes = ScalarBytes(beginningWith: byte) else { return [.unknown] }
      state = .text(bytes)
    default: return [KeyDecoder.controls[byte] ?? .unknown]
    }
    return []
  }

  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
    0x09: .tab, 0x0B: .killToEnd, 0x0C: .redraw, 0x0E: .down, 0x10: .up, 0x15: .killToStart, 0x17: .killWord,
    0x1A: .suspend, 0x7F: .backspace,
  ]

  /// The keys whose escape sequence ends with a letter, by this letter, as in `ESC [ A` and `ESC O A`.
  private static let arrows: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
  ]

  /// The keys whose escape sequence has a number, by this number, as in `ESC [ 3 ~` (VT220).
  private static let numbers: [String: Key] = [
    "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
  ]

  private static func position(_ parameters: [UInt8]) -> Key {
    let numbers = String(decoding: parameters, as: UTF8.self).split(separator: ";").map { Int($0) }
    guard numbers.count == 2, let row = numbers[0], let column = numbers[1] else { return .unknown }
    return .position(row: row, column: column)
  }

  private static func numbered(_ parameters: [UInt8]) -> Key {
    numbers[String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)] ?? .unknown
  }
}

extension Key {
  fileprivate init(_ scalar: Unicode.Scalar) { self = scalar.isPlain ? .character(scalar) : .unknown }
}

/// The bytes of an incomplete UTF-8 character (RFC 3629 §4).
private struct ScalarBytes: Hashable {
  enum Step {
    case incomplete
    case complete(Unicode.Scalar)
    case broken
  }

  private var value: UInt32
  private var missing: Int
  /// The permitted values of the next byte, without overlong encodings, surrogates, and values beyond Unicode.
  private var range: ClosedRange<UInt8> = 0x80...0xBF

  init?(beginningWith byte: UInt8) {
    switch byte {
    case 0xC2...0xDF: (value, missing) = (UInt32(byte & 0x1F), 1)
    case 0xE0...0xEF:
      (value, missing) = (UInt32(byte & 0x0F), 2)
      if byte == 0xE0 { range = 0xA0...0xBF } else if byte == 0xED { range = 0x80...0x9F }
    case 0xF0...0xF4:
      (value, missing) = (UInt32(byte & 0x07), 3)
      if byte == 0xF0 { range = 0x90...0xBF } else if byte == 0xF4 { range = 0x80...0x8F }
    default: return nil
    }
  }

  mutating func append(_ byte: UInt8) -> Step {
    guard range.contains(byte) else { return .broken }
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    range = 0x80...0xBF
    guard missing == 0 else { return .incomplete }
    return Unicode.Scalar(value).map { .complete($0) } ?? .broken
  }
}
