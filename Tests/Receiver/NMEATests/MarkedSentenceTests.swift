import Framing
import NMEA
import Sentences
import Testing

/// Returns the first frame that the scanner finds if it receives the bytes one at a time.
private func firstFrame(_ bytes: [UInt8]) -> Frame? {
  var scanner = FrameScanner()
  for byte in bytes {
    var position = 0
    if let frame = scanner.next(in: [byte].span, from: &position) { return frame }
  }
  return nil
}

/// Returns a content of a length, with commas at varying positions, and its line.
private func line(length: Int, spacing: Int) -> (content: [UInt8], bytes: [UInt8]) {
  let content = (0..<length).map { index -> UInt8 in
    index == 0 ? 0x47 : index % spacing == 5 % spacing ? 0x2C : UInt8(0x30 + (index * 7 + length) % 43)
  }
  let digits = Array("0123456789ABCDEF".utf8)
  let sum = Int(content.reduce(0, ^))
  return (content, [0x24] + content + [0x2A, digits[sum >> 4], digits[sum & 15], 0x0D, 0x0A])
}

@Test(arguments: 1...140)
func `a sentence in the common format is found in one pass, with its end and all commas`(length: Int) {
  for spacing in [1, 2, 3, 6, 64] {
    let (content, bytes) = line(length: length, spacing: spacing)
    for before in [[], [0x0A]] as [[UInt8]] {
      var position = 0
      let all = before + bytes + [UInt8](repeating: 0x24, count: 40)
      let sentence = MarkedSentence(commonFormatIn: all.span, at: &position)
      // The scanner handles longer ones.
      guard length <= 124 else {
        #expect(sentence == nil && position == 0)
        continue
      }
      #expect(sentence?.start == before.count + 1)
      #expect(sentence?.end == before.count + 1 + length)
      #expect(position == before.count + bytes.count - 1)
      guard let sentence else { continue }
      for (index, byte) in content.enumerated() {
        #expect((sentence.commas[index / 64] >> UInt64(index % 64) & 1 == 1) == (byte == 0x2C))
      }
    }
  }
}

@Test(arguments: [1, 12, 13, 28, 40, 61, 75, 123, 124])
func `a sentence with one byte outside of the common format is left to the scanner`(length: Int) {
  let (_, bytes) = line(length: length, spacing: 6)
  for index in bytes.indices {
    for other in [0x00, 0x0A, 0x0D, 0x1F, 0x24, 0x2A, 0x2C, 0x7F, 0x80, 0xFF] as [UInt8] where other != bytes[index] {
      var changed = bytes
      changed[index] = other
      var position = 0
      let sentence = MarkedSentence(commonFormatIn: (changed + [UInt8](repeating: 0x41, count: 40)).span, at: &position)
      guard let sentence else {
        #expect(position == 0)
        continue
      }
      // The line feed after the sentence does not belong to it. Every other change makes a difference.
      #expect(index == bytes.count - 1)
      #expect(firstFrame(changed)?.content.count == sentence.end - sentence.start)
    }
  }
}

@Test func `no byte beyond the end of a chunk is read`() {
  let (_, bytes) = line(length: 61, spacing: 6)
  for count in 0...bytes.count + 24 {
    let all = Array((bytes + [UInt8](repeating: 0x41, count: 24)).prefix(count))
    var position = 0
    if let sentence = MarkedSentence(commonFormatIn: all.span, at: &position) {
      #expect(sentence.end + 4 <= count)
    } else {
      #expect(position == 0)
    }
  }
}

@Test(arguments: [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200])
func `the commas of a frame's content match its bytes`(length: Int) {
  let bytes = (0..<length + 3).map { UInt8($0 % 5 == 2 ? 0x2C : 0x41) }
  let sentence = MarkedSentence(bytes.span, content: 3..<3 + length)
  for index in 0..<min(length, 128) {
    #expect((sentence.commas[index / 64] >> UInt64(index % 64) & 1 == 1) == (bytes[3 + index] == 0x2C))
  }
}

@Test func `a sentence may contain every printable character`() {
  for byte in 0x20...0x7E as ClosedRange<UInt8> where byte != 0x24 && byte != 0x2A {
    let recorder = decode(nmeaSentence("GPTXT,01,01,02,a\(Unicode.Scalar(byte))b") + nmeaSentence("GPTXT,01,01,02,ab"))
    #expect(recorder.errors == [])
    #expect(recorder.sentences.count == 2)
  }
}
