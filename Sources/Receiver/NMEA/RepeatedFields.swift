import Clocks
import Framing
import GNSS

/// A cache of the last time and position. RMC, GGA and GLL of one epoch repeat them as the same texts.
struct RepeatedFields: Sendable {
  fileprivate var time = RepeatedText()
  fileprivate var timeOfDay: TimeOfDay?
  fileprivate var position = RepeatedText()
  fileprivate var coordinate: Coordinate?
}

/// A text of 8 to 32 bytes, for comparison with a later text.
private struct RepeatedText {
  var length = 0
  /// The first sixteen bytes of the text. If the text has fewer than 16 bytes, only its first eight bytes are stored.
  var first = SIMD2<UInt64>()
  /// The last sixteen bytes of the text. If the text has fewer than 16 bytes, only its last eight bytes are stored.
  var last = SIMD2<UInt64>()
}

extension Fields {
  /// Reads a time of day, from the cache if the text equals the previous text.
  @inline(__always)
  mutating func time(in bytes: Span<UInt8>, _ repeated: inout RepeatedFields) throws(NMEAError) -> TimeOfDay? {
    let length = repeated.time.length
    if canSkip(length, in: bytes), repeated.time.first[0] == Framing.word(bytes, unchecked: start),
      repeated.time.last[0] == Framing.word(bytes, unchecked: start &+ length &- 8)
    {
      skip(bytes: length &+ 1)
      return repeated.timeOfDay
    }
    let begin = start
    let time = try time(in: bytes)
    let size = start &- 1 &- begin
    if size >= 8, wasInside(bytes) {
      repeated.time.length = size
      repeated.time.first[0] = Framing.word(bytes, unchecked: begin)
      repeated.time.last[0] = Framing.word(bytes, unchecked: begin &+ size &- 8)
      repeated.timeOfDay = time
    }
    return time
  }

  /// Reads a position, from the cache if the text equals the previous text.
  @inline(__always)
  mutating func coordinate(in bytes: Span<UInt8>, _ repeated: inout RepeatedFields) throws(NMEAError) -> Coordinate? {
    let length = repeated.position.length
    if canSkip(length, in: bytes), repeated.position.first == Fields.two(bytes, at: start),
      repeated.position.last == Fields.two(bytes, at: start &+ length &- 16)
    {
      skip(bytes: length &+ 1)
      return repeated.coordinate
    }
    let begin = start
    let coordinate = try coordinate(in: bytes)
    let size = start &- 1 &- begin
    if size >= 16, size <= 32, wasInside(bytes) {
      repeated.position.length = size
      repeated.position.first = Fields.two(bytes, at: begin)
      repeated.position.last = Fields.two(bytes, at: begin &+ size &- 16)
      repeated.coordinate = coordinate
    }
    return coordinate
  }

  /// Returns whether the cursor can skip `length` bytes to the end of a field, within the current block.
  @inline(__always)
  private func canSkip(_ length: Int, in bytes: Span<UInt8>) -> Bool {
    length > 0 && isEnd(behind: length) && start &+ length <= bytes.count
  }

  @inline(__always)
  private func wasInside(_ bytes: Span<UInt8>) -> Bool { start <= end &+ 1 && end <= bytes.count }

  @inline(__always)
  private static func two(_ bytes: Span<UInt8>, at offset: Int) -> SIMD2<UInt64> {
    SIMD2(Framing.word(bytes, unchecked: offset), Framing.word(bytes, unchecked: offset &+ 8))
  }
}
