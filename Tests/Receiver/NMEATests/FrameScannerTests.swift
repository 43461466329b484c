import Decoding
import Testing

/// Returns the frames and their contents as text, from chunks of a given size.
func frames(_ bytes: [UInt8], chunk: Int = .max, ended: Bool = true) -> [(Frame.Kind, String)] {
  var scanner = FrameScanner()
  var found: [(Frame.Kind, String)] = []
  func note(_ frame: Frame, _ span: Span<UInt8>) {
    found.append((frame.kind, String(decoding: frame.content.map { span[$0] }, as: UTF8.self)))
  }
  var start = 0
  while start < bytes.count {
    let end = min(bytes.count, start + min(chunk, bytes.count))
    let span = bytes.span.extracting(start..<end)
    var position = 0
    while let frame = scanner.next(in: span, from: &position) {
      if frame.isBuffered { note(frame, scanner.buffered) } else { note(frame, span) }
    }
    start = end
  }
  if ended { while let frame = scanner.nextAtEnd() { note(frame, scanner.buffered) } }
  return found
}

@Test(arguments: [
  ("$GPGLL,A*5C\r\n", "GPGLL,A", 0x5C), ("$GPGLL,A*5c\n", "GPGLL,A", 0x5C), ("$GPGLL,A*5C\r\r\n", "GPGLL,A", 0x5C),
  ("$GPGLL,A*5C \r\n", "GPGLL,A", 0x5C), ("$GPGLL,A*5Cxyz\r\n", "GPGLL,A", 0x5C), ("$GPGLL,A*5C", "GPGLL,A", 0x5C),
  ("$GPTXT,1*2*3C\r\n", "GPTXT,1*2", 0x3C), ("+GPSRD:$GPGLL,A*5C\r\n", "GPGLL,A", 0x5C),
  ("\u{0}\u{0}$GPGLL,A*5C\r\n", "GPGLL,A", 0x5C), ("$GPGLL,$GPGLL,A*5C\r\n", "GPGLL,A", 0x5C),
  ("$GPGLL,A*5C$\r\n", "GPGLL,A", 0x5C), ("$$GPGLL,A*5C\r\n", "GPGLL,A", 0x5C), ("$@12$GPGLL,A*5C\n", "GPGLL,A", 0x5C),
])
func `a sentence is found between other bytes`(text: String, content: String, received: UInt8) {
  for chunk in 1...text.utf8.count {
    let sentences = frames(Array(text.utf8), chunk: chunk).filter {
      if case .sentence = $0.0 { true } else { false }
    }
    #expect(sentences.map(\.1) == [content])
    let sum = content.utf8.reduce(0, ^)
    #expect(sentences.first?.0 == .sentence(computed: sum, received: received))
  }
}

private func rtcm3(_ payload: [UInt8]) -> [UInt8] {
  let body = [0xD3, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  var crc: UInt32 = 0
  for byte in body {
    crc ^= UInt32(byte) << 16
    for _ in 0..<8 { crc = crc << 1 ^ (crc & 0x80_0000 == 0 ? 0 : 0x186_4CFB) }
    crc &= 0xFF_FFFF
  }
  return body + [UInt8(crc >> 16), UInt8(crc >> 8 & 0xFF), UInt8(crc & 0xFF)]
}

private let sentence = Array("$GPGLL,A*3D\r\n".utf8)

@Test func `binary frames are recognised by length and checksum, with any contents`() {
  let decoy = sentence + [0xB5, 0x62, 0xD3, 0x00, 0x24, 0x24]
  let stream =
    UBXFrame.encode(.navPVT, decoy) + sentence + rtcm3(decoy) + UBXFrame.encode(.ack) + rtcm3([]) + sentence
  for chunk in 1...stream.count {
    let found = frames(stream, chunk: chunk).map(\.0)
    #expect(
      found == [
        .ubx(class: 1, id: 7), .sentence(computed: 0x3D, received: 0x3D), .rtcm3, .ubx(class: 5, id: 1), .rtcm3,
        .sentence(computed: 0x3D, received: 0x3D),
      ])
  }
}

@Test func `the published example of CRC-24Q is accepted`() {
  // RTCM 10403.1, the example of message 1005 in the annex.
  let message: [UInt8] = [
    0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4, 0xBD, 0x62, 0xAC, 0x09, 0x41,
    0x98, 0x6F,
    0x33, 0x36, 0x0B, 0x98,
  ]
  #expect(frames(message).map(\.0) == [.rtcm3])
}

@Test func `a damaged binary frame hides no sentence inside it`() {
  for (frame, header) in [(UBXFrame.encode(.navPVT, sentence), 6), (rtcm3(sentence), 3)] {
    let inside = header..<header + sentence.count
    for index in frame.indices {
      var bytes = frame
      bytes[index] ^= 0xFF
      let found = frames(bytes + sentence + sentence)
      let sentences = found.filter { $0.1 == "GPGLL,A" }
      #expect(sentences.count >= (inside.contains(index) ? 2 : 3), "byte \(index)")
    }
  }
}

@Test func `random sync bytes delay sentences only until the line is silent`() {
  for sync in [[0xB5, 0x62, 0x01, 0x07, 0x00, 0x08], [0xD3, 0x03, 0xFF]] as [[UInt8]] {
    var scanner = FrameScanner()
    var position = 0
    let bytes = sync + sentence + Array("$GPGLL".utf8)
    #expect(scanner.next(in: bytes.span, from: &position) == nil)
    #expect(scanner.isInsideFrame)
    #expect(scanner.nextAfterSilence()?.kind == .sentence(computed: 0x3D, received: 0x3D))
    #expect(scanner.nextAfterSilence() == nil)
    // The started sentence continues.
    let rest = Array(",A*3D\r\n".utf8)
    position = 0
    #expect(scanner.next(in: rest.span, from: &position)?.kind == .sentence(computed: 0x3D, received: 0x3D))
  }
}

@Test func `an excessive length is not a frame`() {
  #expect(frames([0xB5, 0x62, 0x01, 0x07, 0xFF, 0xFF] + sentence).map(\.1) == ["GPGLL,A"])
}

@Test func `an encapsulating sentence is marked`() {
  var scanner = FrameScanner()
  var position = 0
  let bytes = Array("!AIVDM,1*00\r\n".utf8)
  #expect(scanner.next(in: bytes.span, from: &position)?.isEncapsulating == true)
}
