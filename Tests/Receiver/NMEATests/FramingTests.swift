import Decoding
import GNSS
import Sentences
import Testing

private let good = nmeaSentence("GPGLL,4807.038,N,01131.000,E,123519,A,A")

@Test func `a sentence without a checksum is dropped unless the configuration allows it`() {
  let bare = "$GPGLL,4807.038,N,01131.000,E,123519,A,A\r\n"
  #expect(decode(bare).errors == [.missingChecksum])
  #expect(decode(bare).epochs == [])
  var configuration = NMEAConfiguration.replay
  configuration.requiresChecksum = false
  #expect(decode(bare, configuration).epochs.count == 1)
}

@Test(arguments: [
  ("$GPTXT,01,01,02,ANTSTATUS=INIT*26\r\n", NMEAError.checksumMismatch(computed: 0x25, received: 0x26)),
  ("$GPTXT,01,01,02,ANTSTATUS=INIT*2G\r\n", .framing(.malformedChecksum)),
  ("$GPTXT,01*2\r\n", .framing(.malformedChecksum)),
  ("$GPTXT,01,01,02,ANT\u{0}STATUS=INIT*25\r\n", .framing(.aborted)), ("$GPTXT,01,01,\t02*25\r\n", .framing(.aborted)),
  ("$GPTXT,01,01$", .framing(.interrupted)), ("$GP*17\r\n", .malformedAddress),
])
func `an invalid line does not end the stream`(text: String, error: NMEAError) {
  let recorder = decode(text + good)
  #expect(recorder.errors == [error])
  #expect(recorder.epochs.count == 1)
  #expect(!error.description.isEmpty)
}

@Test func `a sentence of 203 bytes is accepted, and one without an end is rejected`() {
  let long = nmeaSentence("GNTXT,01,01,02," + String(repeating: "x", count: 182))
  #expect(long.utf8.count == 203)
  #expect(decode(long).errors == [] && decode(long).others.count == 1)
  for count in [505, 506, 507, 508, 509, 510, 511, 512, 513, 600, 5000] {
    for chunk in [Int.max, 1, 100, 512] {
      let recorder = decode("$GPTXT," + String(repeating: "x", count: count) + "\r\n" + good, chunk: chunk)
      #expect(recorder.epochs.count == 1)
      #expect(recorder.errors.map(\.cause) == [count + 7 < 512 ? .missingChecksum : .overlong])
    }
  }
}

@Test func `fields after the last one are ignored and counted`() {
  for (type, count) in [
    ("GGA", 14), ("RMC", 13), ("VTG", 9), ("GLL", 7), ("GST", 8), ("GNS", 13), ("ZDA", 6), ("DTM", 8),
  ] {
    let recorder = decode(nmeaSentence("GP\(type)" + String(repeating: ",", count: 480)))
    #expect(recorder.errors == [])
    #expect(recorder.unreadable == ["\(type) field \(count + 1)"])
  }
}

@Test func `a UTF-16 file is decoded, with and without a byte order mark`() {
  let units = Array((good + gga("123520")).utf16)
  let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
    for chunk in [Int.max, 1, 2, 3, 64] {
      let recorder = decode(bytes, chunk: chunk)
      #expect(recorder.epochs.count == 2)
      #expect(recorder.errors == [])
    }
  }
}

/// The reply to CFG-VALSET. Without its zeros it is not a valid frame.
private let acknowledgement: [UInt8] = [0xB5, 0x62, 0x05, 0x01, 0x02, 0x00, 0x06, 0x8A, 0x98, 0xC1]

@Test(arguments: [[0x00], [0x24, 0x00], [0x00, 0x24], [0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
func `a receiver's line is never decoded as UTF-16`(beginning: [UInt8]) {
  let recorder = decode(beginning + Array(good.utf8) + acknowledgement, NMEAConfiguration())
  #expect(recorder.ubx == [[0x05, 0x01, 0x06, 0x8A]])
  #expect(recorder.epochs.count == 1 && recorder.errors == [])
}

@Test func `the statistics count all input`() {
  var decoder = NMEADecoder()
  let text =
    "noise" + good + gga("123520") + nmeaSentence("XXDTM,W84") + "$GPGLL,x*00\r\n" + nmeaSentence("PGRMZ,1")
    + nmeaSentence("AAXXX,1")
  decoder.consume(Array(text.utf8).span, at: at(0)) { _ in }
  decoder.finish { _ in }
  let statistics = decoder.statistics
  #expect((statistics.bytes, statistics.skippedBytes, statistics.sentences) == (text.utf8.count, 5, 3))
  #expect(statistics.count(of: .gll, from: .gps) == 1)
  #expect([SentenceType.gga, .dtm].map { statistics.count(of: $0) } == [1, 1])
  #expect(statistics.talkers.map(\.talker.description) == ["GN", "GP", "XX"])
  #expect(statistics.ignoredAddresses.map(\.address) == ["AAXXX", "PGRMZ"])
  #expect((statistics.count(of: .checksumMismatch), statistics.errorCount) == (1, 1))
  #expect((statistics.epochs, statistics.fixes) == (2, 2))
}

@Test func `noise never stops the decoder and never becomes a position`() {
  var state: UInt64 = 99
  let alphabet = Array("$$$GPNRMCASVTLDZ,,,,.0123456789*\r\n".utf8) + [0, 0xB5, 0x62, 0xD3, 0xFF]
  for _ in 0..<200 {
    let bytes = (0..<500).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return alphabet[Int(state >> 33) % alphabet.count]
    }
    #expect(decode(bytes).epochs.allSatisfy { $0.coordinate == nil })
  }
}

@Test func `noise fills at most 64 places of talkers and 64 of addresses`() {
  var decoder = NMEADecoder()
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  let talkers = letters.flatMap { letter in "JXY".map { nmeaSentence("\($0)\(letter)DTM,W84") } }
  let addresses = letters.flatMap { letter in "WXYZ".map { nmeaSentence("GPX\($0)\(letter),1") } }
  for text in talkers + addresses {
    decoder.consume(Array(text.utf8).span, at: at(0)) { _ in }
  }
  decoder.finish { _ in }
  #expect(decoder.statistics.count(of: .dtm) == talkers.count && talkers.count > 64 && addresses.count > 64)
  #expect((decoder.statistics.talkers.count, decoder.statistics.ignoredAddresses.count) == (64, 64))
}

@Test func `a sentence may contain every printable character`() {
  for byte in 0x20...0x7E as ClosedRange<UInt8> where byte != 0x24 && byte != 0x2A {
    let text = "GPTXT,01,01,02,a\(Unicode.Scalar(byte))b"
    let recorder = decode(nmeaSentence(text) + nmeaSentence("GPTXT,01,01,02,ab"))
    #expect(recorder.errors == [] && recorder.others == [text, "GPTXT,01,01,02,ab"])
  }
}
