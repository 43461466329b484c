import Base
import Decoding
import Hardware
import LinuxHardware
import Sentences
import Testing

/// A wire with a receiver that sends the same burst every second, and a UART that samples the wire at any speed.
private struct Wire {
  let speed: Int
  /// The bits of a burst with start and stop bits, least significant bit first.
  let bits: [Bool]

  init(speed: Int, _ text: [UInt8]) {
    self.speed = speed
    var bits: [Bool] = []
    for byte in text {
      bits.append(false)
      for bit in 0..<8 { bits.append(byte >> bit & 1 == 1) }
      bits.append(true)
    }
    self.bits = bits
  }

  /// Returns whether the line is high at a time in seconds. It is high between bursts. Each second begins with a burst.
  private func isHigh(_ time: Double) -> Bool {
    let bit = bit(at: time)
    return bit < bits.count ? bits[bit] : true
  }

  private func bit(at time: Double) -> Int { Int((time - time.rounded(.down)) * Double(speed)) }

  /// Returns the next byte that a UART of that speed receives and its time; nil if no byte arrives before the end.
  func next(at reading: Int, from start: Double, until end: Double) -> (byte: UInt8, at: Double)? {
    let step = 1 / Double(reading)
    // UARTs sample the line 16 times per bit.
    var time = start
    while !isHigh(time) && time < end { time += step / 16 }
    while isHigh(time) && time < end {
      time = bit(at: time) < bits.count ? time + step / 16 : time.rounded(.down) + 1
    }
    guard time < end else { return nil }
    var byte: UInt8 = 0
    for bit in 0..<8 where isHigh(time + (Double(bit) + 1.5) * step) { byte |= 1 << UInt8(bit) }
    return (byte, time + 9.5 * step)
  }
}

private let sentences =
  [
    "GNRMC,060412.00,A,3509.92364,N,13652.88654,E,0.087,73.28,110723,,,A,V",
    "GNVTG,73.28,T,,M,0.087,N,0.161,K,A", "GNGGA,060412.00,3509.92364,N,13652.88654,E,1,12,0.76,39.6,M,0.0,M,,",
    "GNGSA,A,3,17,02,06,28,12,13,15,24,19,,,,1.48,0.76,1.27,1", "GNGSA,A,3,80,83,73,84,82,,,,,,,,1.48,0.76,1.27,2",
    "GPGSV,3,1,10,02,25,181,42,06,45,146,45,12,19,292,47,13,17,209,43,1",
  ].flatMap { Array(nmeaSentence($0).utf8) }

/// Returns the confirmed speed of a search, and the time until then in seconds.
private func confirmedSpeed(_ wire: Wire, from start: Double) -> (speed: Int, after: Double)? {
  func instant(_ time: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(time * 1e9)) }
  var search = BaudSearch(at: instant(start))
  var time = start
  while time < start + 20 {
    let heard = wire.next(at: search.speed, from: time, until: time + 0.05)
    let step = search.update(with: heard.map { [$0.byte] } ?? [], at: instant(heard?.at ?? time + 0.05))
    time = heard?.at ?? time + 0.05
    switch step {
    case .confirmed: return (search.speed, time - start)
    case .wait: break
    case .change: time += 0.002  // Configuring a port takes some time.
    }
  }
  return nil
}

@Test(arguments: SerialSpeed.all, [0.0, 0.02, 0.3, 0.7])
func `every speed is found within five seconds, the rarest within seven, for any start of the search`(
  speed: Int, phase: Double
) throws {
  let found = try #require(confirmedSpeed(Wire(speed: speed, sentences), from: phase))
  #expect(found.speed == speed)
  #expect(found.after < (speed == 921_600 ? 7 : 5))
}

/// The messages of one second of a NEO-6M that another program left in binary mode: NAV-SOL, NAV-SVINFO of 16 channels,
/// NAV-DOP and NAV-TIMEGPS. The payloads contain arbitrary bytes.
private let binaryMessages: [UInt8] = {
  var state: UInt64 = 6
  return [(UBXIdentifier.navSOL, 52), (.navSVINFO, 8 + 12 * 16), (.navDOP, 18), (.navTIMEGPS, 16)].flatMap {
    UBXFrame.encode(
      $0.0,
      (0..<$0.1).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }
}()

@Test(arguments: SerialSpeed.all, stride(from: 0.0, to: 1, by: 0.1).map(\.self))
func `every speed of a receiver in binary mode is found within ten seconds, for any start of the search`(
  speed: Int, phase: Double
) throws {
  let found = try #require(confirmedSpeed(Wire(speed: speed, binaryMessages), from: phase))
  #expect(found.speed == speed)
  #expect(found.after < 10)
}

@Test func `a search tries its initial speed first, and then all others`() {
  for speed in SerialSpeed.all {
    var search = BaudSearch(from: speed, at: MonotonicInstant(nanoseconds: 0))
    var tried = [search.speed]
    for seconds in 1...SerialSpeed.all.count {
      // No byte is received at any of them.
      let step = search.update(with: [], at: MonotonicInstant(nanoseconds: Int64(seconds) * 2_000_000_000))
      #expect(step == .change(to: search.speed))
      tried.append(search.speed)
    }
    #expect(tried.first == speed && tried.last == speed)
    #expect(tried.dropLast().sorted() == SerialSpeed.all)
  }
}

@Test func `noise never confirms a speed`() {
  var search = BaudSearch(at: MonotonicInstant(nanoseconds: 0))
  var state: UInt64 = 1
  for millisecond in 0..<60_000 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let step = search.update(
      with: [UInt8(truncatingIfNeeded: state >> 56)], at: MonotonicInstant(nanoseconds: Int64(millisecond) * 1_000_000))
    #expect(step != .confirmed)
  }
}

@Test func `two sentences with correct checksums confirm a speed, and one does not`() {
  let sentence = Array("$GPTXT,01,01,02,A*0C\r\n".utf8)
  var search = BaudSearch(at: MonotonicInstant(nanoseconds: 0))
  #expect(search.update(with: sentence, at: MonotonicInstant(nanoseconds: 1)) == .wait)
  #expect(search.update(with: sentence, at: MonotonicInstant(nanoseconds: 2)) == .confirmed)
}

@Test(arguments: [("$GPTXT,01,01,02,A\r\n", true), ("$no sentence\r\n", false), ("$GPTXT,01,01,02,A*0D\r\n", false)])
func `sentences without a checksum confirm a speed only if they are accepted`(line: String, confirms: Bool) {
  for (requiresChecksum, chunk) in [(false, Int.max), (false, 4), (true, Int.max)] {
    var search = BaudSearch(requiresChecksum: requiresChecksum, at: MonotonicInstant(nanoseconds: 0))
    var rest = Array((line + line).utf8)[...]
    while !rest.isEmpty {
      _ = search.update(with: Array(rest.prefix(chunk)), at: MonotonicInstant(nanoseconds: 1))
      rest = rest.dropFirst(chunk)
    }
    #expect(search.isConfirmed == (confirms && !requiresChecksum))
  }
}

@Test func `the search starts again after five seconds with bytes but no frames`() {
  var search = BaudSearch(at: at(0))
  _ = search.update(with: sentences, at: at(1))
  #expect(search.isConfirmed)
  // Silence alone has no effect.
  #expect(search.update(with: [], at: at(60_000)) == .confirmed)
  _ = search.update(with: sentences, at: at(60_001))
  for milliseconds in stride(from: 61_000, to: 66_000, by: 1000) as StrideTo<Int64> {
    #expect(search.update(with: [0x80, 0x00], at: at(milliseconds)) == .confirmed)
  }
  #expect(search.update(with: [0x80, 0x00], at: at(66_000)) == .change(to: 115_200))
  #expect(!search.isConfirmed)
}

/// For example, the receiver restarts, or sends every five seconds. The silence may begin inside a sentence.
@Test(arguments: [0, 10], [4900, 7000, 60_000] as [Int64])
func `after a silence, the first part of a sentence does not end a confirmed speed`(partial: Int, silence: Int64) {
  var search = BaudSearch(at: at(0))
  var now: Int64 = 1
  _ = search.update(with: sentences, at: at(now))
  for _ in 0..<5 {
    _ = search.update(with: Array(sentences.prefix(partial)), at: at(now))
    now += silence
    for chunk in stride(from: 0, to: sentences.count, by: 24) {
      let bytes = Array(sentences[chunk..<min(chunk + 24, sentences.count)])
      #expect(search.update(with: bytes, at: at(now)) == .confirmed)
      now += 20
    }
  }
}

@Test func `at a wrong speed, a receiver that rarely sends does not keep the speed`() {
  var search = BaudSearch(at: at(0))
  _ = search.update(with: sentences, at: at(1))
  let steps = (1...6).map { search.update(with: [0x80, 0x00], at: at(5000 * $0)) }
  #expect(steps.prefix(4) == [.confirmed, .confirmed, .confirmed, .confirmed])
  #expect(steps.contains(.change(to: 115_200)))
}

@Test(
  arguments: [
    ([], 1300), (Array("text".utf8), 1300), ([0x80], 100), ([UInt8](repeating: 0x80, count: 11), 100),
  ] as [([UInt8], Int64)])
func `a silence of 1.3 s ends the trial of a speed, and after an invalid byte a silence of 100 ms`(
  bytes: [UInt8], silence: Int64
) {
  let heard = at(0)
  var search = BaudSearch(at: heard)
  #expect(search.update(with: bytes, at: heard) == .wait)
  #expect(search.update(with: [], at: heard + .milliseconds(silence - 1)) == .wait)
  let step = search.update(with: [], at: heard + .milliseconds(silence))
  #expect(step == .change(to: search.speed))
}

@Test func `text without a sentence ends the trial of a speed after 4 s`() {
  let begin = at(0)
  var search = BaudSearch(at: begin)
  for time in stride(from: 50, to: 4000, by: 50) {
    #expect(search.update(with: Array("text".utf8), at: begin + .milliseconds(time)) == .wait)
  }
  guard case .change = search.update(with: Array("text".utf8), at: begin + .seconds(4)) else {
    Issue.record("the speed is not changed")
    return
  }
}

@Test func `the end of a burst that began before the change to a speed does not exclude the speed`() {
  let begin = at(0)
  var search = BaudSearch(at: begin)
  let step = search.update(with: [UInt8](repeating: 0x80, count: 12), at: begin + .milliseconds(50))
  #expect(step == .change(to: search.speed))
  #expect(search.update(with: Array("text\r\n".utf8), at: begin + .milliseconds(60)) == .wait)
  #expect(search.update(with: [], at: begin + .milliseconds(200)) == .wait)
}
