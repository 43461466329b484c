enum SearchResult {
  /// A valid or invalid frame, and the index of the first byte after the frame.
  case found(Frame, next: Int)
  /// The index of an incomplete frame's first byte, and the minimum count of bytes that are missing.
  case incomplete(start: Int, missing: Int)
  case nothing
}

/// The state of the input after the available bytes: more bytes follow, the receiver has paused, or the input has
/// ended.
enum Continuation {
  case open
  /// The receiver has paused. An NMEA sentence may continue after the pause, but a binary frame may not.
  case silent
  case ended
}

/// A search for the next frame in the available bytes. A frame is an NMEA sentence or a binary message.
struct FrameSearch {
  let continuation: Continuation
  /// The count of bytes that belong to no frame (an NMEA sentence or a binary message). Carriage returns and line feeds
  /// do not count.
  var skipped = 0

  mutating func first(in bytes: Span<UInt8>, from start: Int) -> SearchResult {
    var index = start
    while index < bytes.count {
      let result: SearchResult
      switch bytes[index] {
      case Byte.dollar, Byte.exclamation: result = sentence(in: bytes, at: index)
      case Byte.ubxSync: result = ubx(in: bytes, at: index)
      case Byte.rtcm3Sync: result = rtcm3(in: bytes, at: index)
      case Byte.carriageReturn, Byte.lineFeed:
        index += 1
        continue
      default: result = .nothing
      }
      switch result {
      case .nothing:
        skipped += 1
        index += 1
      case .incomplete where continuation == .ended: index += 1
      case .found, .incomplete: return result
      }
    }
    return .nothing
  }

  // MARK: NMEA 0183

  /// Finds an NMEA sentence in the most common format: a correct checksum with capital letters, directly before the
  /// line end. The sentence begins at `position`, or after a line feed at `position`.
  ///
  /// Returns nil for every other format, without a change of `position`.
  @inline(__always)
  static func commonSentence(in bytes: Span<UInt8>, at position: inout Int) -> Frame? {
    var start = position
    guard start >= 0, start < bytes.count &- 8 else { return nil }
    if bytes[start] == Byte.lineFeed { start &+= 1 }
    guard bytes[start] == Byte.dollar, bytes[start &+ 1] &- Byte.a <= Byte.z - Byte.a else { return nil }
    let limit = min(start &+ FrameScanner.maximumSentenceLength, bytes.count)
    let (end, sum) = stop(in: bytes, from: start &+ 1, limit: limit)
    guard end < limit, end >= start &+ 4 else { return nil }
    let close = UInt32(truncatingIfNeeded: word(bytes, at: end &- 3))
    let computed = sum ^ Byte.star ^ UInt8(truncatingIfNeeded: close >> 8) ^ UInt8(truncatingIfNeeded: close >> 16)
    // The code compares the checksum as text. A parser would need branches that the processor cannot predict.
    guard close == sentenceEnding(computed) else { return nil }
    position = end &+ 1
    return Frame(.sentence(computed: computed, received: computed), content: start &+ 1..<end &- 3)
  }

  private func sentence(in bytes: Span<UInt8>, at start: Int) -> SearchResult {
    guard start &+ 1 < bytes.count else { return .incomplete(start: start, missing: 1) }
    // Every address begins with a letter. A `$` before another character is noise or another protocol, for example SBF
    // (`$@`).
    guard (Byte.a...Byte.z).contains(bytes[start + 1]) else { return .nothing }
    let limit = start &+ FrameScanner.maximumSentenceLength
    let (end, sum) = FrameSearch.stop(in: bytes, from: start + 1, limit: min(limit, bytes.count))
    if end == limit { return .found(Frame(.rejected(.overlong)), next: end) }
    if end == bytes.count, continuation != .ended { return .incomplete(start: start, missing: 1) }
    let isLine = end == bytes.count || bytes[end] == Byte.carriageReturn || bytes[end] == Byte.lineFeed
    let next = isLine && end < bytes.count ? end + 1 : end
    var frame = FrameSearch.close(bytes, start + 1..<end, sum: sum, isLine: isLine)
    frame.isEncapsulating = bytes[start] == Byte.exclamation
    return .found(frame, next: next)
  }

  /// Returns the index of the first byte that cannot belong to an NMEA sentence: a control character, a `$`, or a byte
  /// above 0x7E. Without such a byte, the index is `limit`. `sum` is the XOR of the bytes before the index.
  @inline(__always)
  static func stop(in bytes: Span<UInt8>, from start: Int, limit: Int) -> (end: Int, sum: UInt8) {
    var index = start
    var sums: UInt64 = 0
    // From every position before this limit, eight bytes are readable without a check of the bounds.
    let safe = min(limit, bytes.count) &- 8
    while index <= safe {
      let eight = word(bytes, unchecked: index)
      let stops = stops(in: eight)
      if stops != 0 {
        let bits = UInt64(truncatingIfNeeded: stops.trailingZeroBitCount & 0x38)
        let end = index &+ Int(truncatingIfNeeded: bits >> 3)
        return (end, foldedSum(sums ^ (eight & ((1 &<< bits) &- 1))))
      }
      sums ^= eight
      index &+= 8
    }
    return lastStop(in: bytes, from: index, limit: limit, sum: foldedSum(sums))
  }

  /// Finds the end of a sentence like `stop`, but one byte at a time, for the last bytes of the input.
  @inline(never)
  private static func lastStop(
    in bytes: Span<UInt8>, from start: Int, limit: Int, sum: UInt8
  ) -> (end: Int, sum: UInt8) {
    var sum = sum
    var index = start
    while index < limit, bytes[index] >= 0x20, bytes[index] < 0x7F, bytes[index] != Byte.dollar {
      sum ^= bytes[index]
      index += 1
    }
    return (index, sum)
  }

  /// Returns a mask. Its lowest set bit is the top bit of the first byte that cannot belong to an NMEA sentence. The
  /// mask is 0 without such a byte.
  @inline(__always)
  private static func stops(in eight: UInt64) -> UInt64 {
    let control = eight &- UInt64(repeatingByte: 0x20)
    let dollar = (eight ^ UInt64(repeatingByte: Byte.dollar)) &- UInt64(repeatingByte: 1)
    let delete = eight &+ UInt64(repeatingByte: 1)
    return (eight | control | dollar | delete) & UInt64(repeatingByte: 0x80)
  }

  private static func close(_ bytes: Span<UInt8>, _ text: Range<Int>, sum: UInt8, isLine: Bool) -> Frame {
    let star = text.upperBound - 3
    if star >= text.lowerBound, bytes[star] == Byte.star, let high = hexadecimal(bytes[star + 1]),
      let low = hexadecimal(bytes[star + 2])
    {
      let computed = sum ^ Byte.star ^ bytes[star + 1] ^ bytes[star + 2]
      return Frame(.sentence(computed: computed, received: high << 4 | low), content: text.lowerBound..<star)
    }
    return closeUncommon(bytes, text, sum: sum, isLine: isLine)
  }

  /// Returns the frame of an NMEA sentence without a checksum, or with characters after its checksum. The frame
  /// contains an error if the sentence is invalid.
  @inline(never)
  private static func closeUncommon(_ bytes: Span<UInt8>, _ text: Range<Int>, sum: UInt8, isLine: Bool) -> Frame {
    guard isLine else {
      return Frame(.rejected(bytes[text.upperBound] == Byte.dollar ? .interrupted : .aborted))
    }
    guard let star = text.last(where: { bytes[$0] == Byte.star }) else {
      return Frame(.sentence(computed: sum, received: nil), content: text)
    }
    guard star + 2 < text.upperBound, let high = hexadecimal(bytes[star + 1]), let low = hexadecimal(bytes[star + 2])
    else { return Frame(.rejected(.malformedChecksum)) }
    let computed = (text.lowerBound..<star).reduce(UInt8(0)) { $0 ^ bytes[$1] }
    return Frame(.sentence(computed: computed, received: high << 4 | low), content: text.lowerBound..<star)
  }

  @inline(__always)
  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    let digit = byte &- 0x30
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  // MARK: Binary

  /// Searches for a UBX frame at an index. The frame consists of 0xB5, 0x62, class, id, length (little endian),
  /// payload, and two checksum bytes.
  private func ubx(in bytes: Span<UInt8>, at start: Int) -> SearchResult {
    let available = bytes.count - start
    guard available >= 2 else { return incomplete(start, missing: 2 - available) }
    guard bytes[start + 1] == 0x62 else { return .nothing }
    guard available >= 6 else { return incomplete(start, missing: 6 - available) }
    let length = Int(bytes[start + 4]) | Int(bytes[start + 5]) << 8
    guard length <= FrameScanner.maximumPayload else { return .nothing }
    guard available >= length + 8 else { return incomplete(start, missing: length + 8 - available) }
    let end = start + 6 + length
    guard BinaryChecksum.fletcher(bytes, in: start + 2..<end) == (bytes[end], bytes[end + 1]) else {
      return .found(Frame(.rejected(.ubxChecksum)), next: start + 1)
    }
    return .found(Frame(.ubx(class: bytes[start + 2], id: bytes[start + 3]), content: start + 6..<end), next: end + 2)
  }

  /// Searches for an RTCM 3 frame at an index. The frame consists of 0xD3, six zero bits, length (10 bits, big endian),
  /// payload, and CRC-24Q.
  private func rtcm3(in bytes: Span<UInt8>, at start: Int) -> SearchResult {
    let available = bytes.count - start
    guard available >= 2 else { return incomplete(start, missing: 2 - available) }
    guard bytes[start + 1] & 0xFC == 0 else { return .nothing }
    guard available >= 3 else { return incomplete(start, missing: 1) }
    let length = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
    guard available >= length + 6 else { return incomplete(start, missing: length + 6 - available) }
    let end = start + 3 + length
    let received = UInt32(bytes[end]) << 16 | UInt32(bytes[end + 1]) << 8 | UInt32(bytes[end + 2])
    guard BinaryChecksum.crc24Q(bytes, in: start..<end) == received else {
      return .found(Frame(.rejected(.rtcm3Checksum)), next: start + 1)
    }
    return .found(Frame(.rtcm3, content: start + 3..<end), next: end + 3)
  }

  private func incomplete(_ start: Int, missing: Int) -> SearchResult {
    continuation == .open ? .incomplete(start: start, missing: missing) : .nothing
  }
}

enum Byte {
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let exclamation: UInt8 = 0x21
  static let dollar: UInt8 = 0x24
  static let star: UInt8 = 0x2A
  static let a: UInt8 = 0x41
  static let z: UInt8 = 0x5A
  static let ubxSync: UInt8 = 0xB5
  static let rtcm3Sync: UInt8 = 0xD3
}
