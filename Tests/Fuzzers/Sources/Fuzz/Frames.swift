import Decoding

/// Checks the scanner of RTCM 3: each frame that it finds has a correct checksum (computed here bit by bit), the split of the
/// bytes makes no difference, and the scanner finds a valid frame after any bytes.
@_cdecl("fuzz_rtcm")
public func fuzzRTCM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let choice = bytes.removeLast()
  if choice & 1 == 0 { mend(&bytes) }
  let whole = frames(in: bytes, chunk: .max / 2)
  for chunk in [1, 1 + Int(choice >> 1)] { precondition(frames(in: bytes, chunk: chunk) == whole) }
  for frame in whole.rtcm3 { precondition(contains(frame, in: bytes)) }
  let message: [UInt8] = [0x3E, 0xD0, 0x00, 0x03]
  let last = frames(in: bytes + framed(message), chunk: .max / 2)
  // The message may be part of another frame with a correct checksum.
  precondition(last.rtcm3.last == message || last.contents.contains { $0.contains(0xD3) })
  return 0
}

private struct Scanned: Equatable {
  var rtcm3: [[UInt8]] = []
  /// The contents of all frames.
  var contents: [[UInt8]] = []
  var errors: [FramingError] = []
  var skipped = 0
}

private func frames(in bytes: [UInt8], chunk: Int) -> Scanned {
  var scanner = FrameScanner()
  var scanned = Scanned()
  func note(_ frame: Frame, _ content: [UInt8]) {
    switch frame.kind {
    case .rejected(let error): scanned.errors.append(error)
    case .rtcm3:
      precondition(content.count <= 1023)
      scanned.rtcm3.append(content)
      scanned.contents.append(content)
    case .sentence, .ubx: scanned.contents.append(content)
    }
  }
  var begin = 0
  while begin < bytes.count {
    let end = begin + min(chunk, bytes.count - begin)
    let part = bytes.span.extracting(begin..<end)
    var position = 0
    while let frame = scanner.next(in: part, from: &position) {
      note(frame, frame.content.map { frame.isBuffered ? scanner.buffered[$0] : part[$0] })
    }
    begin = end
  }
  while let frame = scanner.nextAtEnd() { note(frame, frame.content.map { scanner.buffered[$0] }) }
  scanned.skipped = scanner.skippedBytes
  precondition(scanned.skipped <= bytes.count)
  return scanned
}

private func contains(_ payload: [UInt8], in bytes: [UInt8]) -> Bool {
  let frame = framed(payload)
  return bytes.indices.contains { bytes[$0...].starts(with: frame) }
}

/// Returns the frame of a payload: D3, length, payload and CRC-24Q.
func framed(_ payload: [UInt8]) -> [UInt8] {
  let frame = [0xD3, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  let sum = crc24Q(frame)
  return frame + [UInt8(sum >> 16), UInt8(sum >> 8 & 0xFF), UInt8(sum & 0xFF)]
}

/// Returns the CRC-24Q (RTCM 10403.3 §4.2), computed bit by bit instead of with a table.
func crc24Q(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var sum: UInt32 = 0
  for byte in bytes {
    sum ^= UInt32(byte) << 16
    for _ in 0..<8 { sum = sum & 0x80_0000 == 0 ? sum << 1 : sum << 1 ^ 0x186_4CFB }
  }
  return sum & 0xFF_FFFF
}
