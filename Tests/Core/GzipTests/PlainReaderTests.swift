import CZlib
import Gzip
import Testing

/// Returns the bytes as one gzip member.
private func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = unsafe z_stream()
  // The largest window plus 16 selects gzip.
  unsafe deflateInit2_(
    &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  var input = bytes
  var output = [UInt8](repeating: 0, count: bytes.count + 1024)
  let room = output.count
  unsafe input.withUnsafeMutableBufferPointer { input in
    unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      unsafe stream.next_out = output.baseAddress
      unsafe stream.avail_out = UInt32(output.count)
      unsafe deflate(&stream, Z_FINISH)
    }
  }
  output.removeLast(Int(unsafe stream.avail_out))
  unsafe deflateEnd(&stream)
  #expect(output.count < room)
  return output
}

/// Sentences that are as compressible as a log.
private let log = (0..<3000).flatMap { Array("$GPGGA,\(100_000 + $0 * 7919 % 99_991),4722.\($0),N\r\n".utf8) }

/// Reads bytes to the end in pieces. Returns the contents and the final result.
private func read(_ bytes: [UInt8], piece: Int = .max, buffer size: Int = 4096) -> ([UInt8], PlainReader.Arrival) {
  var reader = PlainReader()
  var rest = bytes[...]
  var buffer = [UInt8](repeating: 0, count: size)
  var result: [UInt8] = []
  while true {
    let arrival = reader.read(into: &buffer) { buffer, offset in
      let part = rest.prefix(min(piece, buffer.count - offset))
      for (index, byte) in part.enumerated() { buffer[offset + index] = byte }
      rest = rest.dropFirst(part.count)
      return .bytes(part.count)
    }
    guard case .bytes(let count) = arrival else { return (result, arrival) }
    result += buffer[..<count]
  }
}

@Test(arguments: [1, 2, 3, 1000, 1 << 20], [2, 777, 1 << 17])
func `compressed data is decompressed, for all sizes of pieces`(piece: Int, size: Int) {
  for members in [1, 2, 3] {
    let bytes = (0..<members).flatMap { gzip(Array(log.dropFirst($0 * 10))) }
    let (result, end) = read(bytes, piece: piece, buffer: size)
    #expect(result == (0..<members).flatMap { Array(log.dropFirst($0 * 10)) })
    #expect(end == .end)
  }
}

@Test(
  arguments: [
    [], [0x1F], [0x1F, 0x1F], [0x1F, 0x8A, 0x08], [0x8B, 0x1F], [0xB5, 0x62, 0x1F, 0x8B], Array("$GPGGA".utf8),
  ] as [[UInt8]])
func `data that is not compressed is unchanged`(bytes: [UInt8]) {
  for piece in [1, 2, 100] {
    let (result, end) = read(bytes, piece: piece)
    #expect(result == bytes)
    #expect(end == .end)
  }
}

@Test func `a compressed empty file is empty`() {
  let (result, end) = read(gzip([]), piece: 1)
  #expect(result == [])
  #expect(end == .end)
}

@Test func `a truncated compressed file results in the data before the end and an error`() {
  let text = Array(log.prefix(900))
  let bytes = gzip(text)
  var longest = 0
  for count in 2..<bytes.count {
    let (result, end) = read(Array(bytes.prefix(count)), piece: 64)
    #expect(text.starts(with: result))
    #expect(end == .damage(.truncated))
    longest = max(longest, result.count)
  }
  #expect(longest == text.count)
}

@Test func `a compressed file with a wrong bit is always an error`() {
  let text = Array(log.prefix(400))
  let bytes = gzip(text)
  // The flags, the time and the system in the header do not affect the contents.
  for bit in 0..<bytes.count * 8 where !(24..<80).contains(bit) && bit >= 16 {
    var wrong = bytes
    wrong[bit / 8] ^= 1 << UInt8(bit % 8)
    let (_, end) = read(wrong)
    #expect(end != .end, "bit \(bit)")
  }
}

@Test(arguments: [[0], [0, 0, 0, 0], [0x1F], Array("tail".utf8)] as [[UInt8]])
func `padding after the last member is ignored`(filling: [UInt8]) {
  for piece in [1, 1000] {
    let (result, end) = read(gzip(log) + filling, piece: piece)
    #expect(result == log)
    #expect(end == .end)
  }
}

@Test func `a pause of the source is reported, and reading continues after it`() {
  var reader = PlainReader()
  var buffer = [UInt8](repeating: 0, count: 100_000)
  var rest = gzip(log)[...]
  var isTurn = false
  var result: [UInt8] = []
  var pauses = 0
  while true {
    let arrival = reader.read(into: &buffer) { buffer, offset in
      isTurn.toggle()
      guard isTurn else { return .nothing }
      let part = rest.prefix(997)
      for (index, byte) in part.enumerated() { buffer[offset + index] = byte }
      rest = rest.dropFirst(part.count)
      return .bytes(part.count)
    }
    if case .bytes(let count) = arrival { result += buffer[..<count] }
    if arrival == .nothing { pauses += 1 }
    if arrival == .end { break }
  }
  #expect(result == log)
  #expect(pauses > 10)
  let isCompressed = reader.isCompressed
  #expect(isCompressed)
}
