import Base
import Decoding
import Estimation
import GNSS
import SeededNumbers
import Testing

/// Plays a script: `n5` the sentences of second 5, `u5` its NAV-PVT, `v5` the same without a time, `w5` the same without
/// the number of leap seconds, `o5` the messages of an older receiver without a time, `r` an RTCM 3 frame, `|` a silent
/// second. The decoder receives the bytes in chunks of a given size.
private func play(_ script: String, chunk: Int = .max, _ configuration: NMEAConfiguration = .init()) -> [Epoch] {
  var decoder = ReceiverDecoder(configuration: configuration)
  var now = at(0)
  var epochs: [Epoch] = []
  for item in script.split(separator: " ") {
    let second = Int(item.dropFirst()) ?? 0
    let bytes: [UInt8] =
      switch item.first {
      case "n": sentences(second)
      case "u": solution(second, fraction: second % 2 == 0 ? 0 : -120_000)
      case "v": solution(second, valid: 0)
      case "w": solution(second, valid: 3)
      case "o": olderSolution(second)
      case "r": correction
      default: []
      }
    if item == "|" {
      now = now + .milliseconds(1000)
      if let deadline = decoder.nextDeadline, deadline <= now { decoder.idle(at: deadline) { epochs.append($0) } }
      if let deadline = decoder.nextDeadline, deadline <= now { decoder.idle(at: deadline) { epochs.append($0) } }
      continue
    }
    var start = 0
    while start < bytes.count {
      let end = start + min(chunk, bytes.count - start)
      now = now + .milliseconds(1)
      decoder.consume(bytes.span.extracting(start..<end), at: now) { epochs.append($0) }
      start = end
    }
  }
  decoder.finish { epochs.append($0) }
  return epochs
}

@Test(
  arguments: [
    // The epoch uses NAV-PVT, before or after its sentences.
    ("u1 n1 | u2 n2 | u3 n3 | u4 n4 |", ["1u", "2u", "3u", "4u"]),
    ("n1 u1 | n2 u2 | n3 u3 | n4 u4 |", ["1u", "2u", "3u", "4u"]),
    ("n1 u1 n2 u2 n3 u3 n4 u4 n5 u5", ["1u", "2u", "3u", "4u", "5u"]),
    ("u1 n1 u2 n2 u3 n3 u4 n4", ["1u", "2u", "3u", "4u"]), ("u1 r n1 r u2 n2 r", ["1u", "2u"]),
    // Sentences alone, and NAV-PVT alone.
    ("n1 n2 n3 n4 n5", ["1n", "2n", "3n", "4n", "5n"]), ("u1 u2 u3 u4", ["1u", "2u", "3u", "4u"]),
    ("n1 | n2 | n3 | n4 |", ["1n", "2n", "3n", "4n"]), ("u1 | u2 | u3 |", ["1u", "2u", "3u"]),
    // If a NAV-PVT is lost, the epoch uses its sentences.
    ("n1 u1 | n2 u2 | n3 | n4 u4 |", ["1u", "2u", "3n", "4u"]),
    ("u1 n1 | u2 n2 | n3 | u4 n4 |", ["1u", "2u", "3n", "4u"]),
    ("u1 n1 u2 n2 n3 u4 n4", ["1u", "2u", "3n", "4u"]),
    // Lost sentences change no epoch.
    ("n1 u1 | u2 | u3 | n4 u4 |", ["1u", "2u", "3u", "4u"]),
    // NAV-PVT is switched on, and off.
    ("n1 | n2 | n3 | n4 u4 | n5 u5 |", ["1n", "2n", "3n", "4n", "5u"]),
    ("n1 | n2 | n3 | u4 n4 | u5 n5 |", ["1n", "2n", "3n", "4u", "5u"]),
    ("u1 n1 | n2 | n3 | n4 | n5 | n6 |", ["1u", "2n", "3n", "4n", "5n", "6n"]),
    // Sentences and NAV-PVT arrive late or twice.
    ("u1 u2 n1 n2 | u3 n3 |", ["1u", "2u", "3u"]), ("u1 n1 | u1 n1 | u2 n2 |", ["1u", "2u"]),
    // Sentences give the messages of an older receiver their time, in any order.
    ("o1 n1 | o2 n2 | o3 n3 | o4 n4 |", ["1u", "2u", "3u", "4u"]),
    ("n1 o1 | n2 o2 | n3 o3 | n4 o4 |", ["1u", "2u", "3u", "4u"]),
    ("n1 o1 n2 o2 n3 o3 n4 o4", ["1u", "2u", "3u", "4u"]),
    // At the third second, the end of a UBX epoch is known, and the end of a sentence epoch is not known yet.
    ("o1 n1 o2 n2 o3 n3 o4 n4", ["1u", "-u", "3u", "4u"]),
    // Lost sentences remove the time of their own epoch only.
    ("n1 o1 | n2 o2 | o3 | n4 o4 | n5 o5 |", ["1u", "2u", "-u", "4u", "5u"]),
    ("o1 n1 | o2 n2 | o3 | o4 n4 | o5 n5 |", ["1u", "2u", "-u", "4u", "5u"]),
    // If messages are lost, the epoch uses its sentences.
    ("o1 n1 | o2 n2 | n3 | o4 n4 |", ["1u", "2u", "3n", "4u"]),
    ("o1 n1 | n2 | n3 | n4 | n5 |", ["1u", "2n", "3n", "4n", "5n"]), ("o1 | o2 | o3 |", ["-u", "-u", "-u"]),
  ], [1, 7, 64, Int.max])
func `exactly one epoch for each instant, and NAV-PVT or the older messages win over sentences`(
  test: (String, [String]), chunk: Int
) {
  #expect(play(test.0, chunk: chunk).map(short) == test.1)
}

@Test(
  arguments: [
    // After a cold start, a receiver learns the number of leap seconds, and corrects its time.
    ("n10 | n11 | n12 | n10 | n11 | n12 | n13 |", ["10n", "11n", "12n", "10n!", "11n", "12n", "13n"]),
    ("n10 n11 n12 n10 n11 n12 n13", ["10n", "11n", "12n", "10n!", "11n", "12n", "13n"]),
    ("n11 | n12 | n13 | n11 | n12 | n13 | n14 |", ["11n", "12n", "13n", "11n!", "12n", "13n", "14n"]),
    // The times of a second device, which are one second late.
    ("n11 | n12 | n11 | n12 | n13 |", ["11n", "12n", "13n"]),
    // A single earlier time is no correction.
    ("n10 | n11 | n12 | n10 | n13 | n14 |", ["10n", "11n", "12n", "13n", "14n"]),
    ("n10 n11 n12 n10 n13 n14", ["10n", "11n", "12n", "13n", "14n"]),
  ], [1, 7, 64, Int.max])
func `sentences whose time goes back start a sequence, once a second one follows`(
  test: (String, [String]), chunk: Int
) {
  #expect(play(test.0, chunk: chunk).map { short($0) + ($0.startsSequence ? "!" : "") } == test.1)
}

@Test(arguments: [
  ("n1 u1 n2 u2 n3 u3 n4 u4", ["1u", "2u", "3u", "4u"]), ("u1 n1 u2 n2 u3 n3", ["1u", "2u", "3u"]),
  ("n1 n2 n3 n4 u4 n5 u5 n6 u6", ["1n", "2n", "3n", "4u", "5u", "6u"]),
])
func `a recorded file gives the same, without times of arrival`(script: String, result: [String]) {
  #expect(play(script, .replay).map(short) == result)
}

@Test func `a leap second and the second after it are two epochs`() {
  let dates = [("235959", "311216"), ("235960", "311216"), ("000000", "010117"), ("000001", "010117")]
  for (hasDate, configuration) in [(true, NMEAConfiguration()), (false, NMEAConfiguration()), (true, .replay)] {
    var decoder = ReceiverDecoder(configuration: configuration)
    var times: [TimeOfDay?] = []
    for (second, (time, date)) in dates.enumerated() {
      let position = "4717.5000,N,00833.0000,E"
      let bytes =
        sentence("GNGGA,\(time).00,\(position),1,08,1.0,400.0,M,47.0,M,,")
        + sentence("GNRMC,\(time).00,A,\(position),1.0,90.0,\(hasDate ? date : ""),,,A")
      decoder.consume(bytes.span, at: at(configuration.learnsEnd ? second * 1000 : 0)) { times.append($0.timeOfDay) }
    }
    decoder.finish { times.append($0.timeOfDay) }
    #expect(
      times == [
        TimeOfDay(hour: 23, minute: 59, second: 59), TimeOfDay(hour: 23, minute: 59, second: 60),
        TimeOfDay(hour: 0, minute: 0, second: 0), TimeOfDay(hour: 0, minute: 0, second: 1),
      ])
  }
}

@Test func `without a time NAV-PVT stands for whatever the sentences say`() {
  #expect(play("v1 n1 | v2 n2 | v3 n3 | u4 n4 | u5 n5 |").map(short) == ["1u", "2u", "-u", "4u", "5u"])
  // When NAV-PVT stops, the epochs use sentences again.
  #expect(play("v1 n1 | n2 | n3 | n4 | n5 | n6 |").map(short).suffix(2) == ["5n", "6n"])
}

@Test func `if a NAV-PVT is lost, its time is as uncertain as the time of the NAV-PVT before`() {
  let epochs = play("n1 w1 | n2 w2 | n3 | n4 u4 | n5 | n6 u6 |")
  #expect(epochs.map(short) == ["1u", "2u", "3n", "4u", "5n", "6u"])
  #expect(epochs.map(\.isTimeUncertain) == [true, true, true, false, false, false])
}

@Test func `what NAV-PVT does not say is the sentences'`() throws {
  for script in ["n1 u1 | n2 u2 | n3 u3 |", "n1 u1 n2 u2 n3 u3"] {
    let epoch = try #require(play(script).last)
    #expect((epoch.coordinate?.latitude, epoch.horizontalAccuracy) == (47.3, 1.5))
    #expect((epoch.errorStatistics?.latitude, epoch.dilutionOfPrecision.horizontal) == (1.5, 1.0))
    #expect(epoch.satellites.map(\.number) == [1, 2] && epoch.satellitesUsed == 9)
  }
  #expect(play("u1 n1 | u2 n2 | u3 n3 |").last?.satellites.map(\.number) == [1, 2])
}

@Test func `midnight is one instant for both`() {
  var decoder = ReceiverDecoder()
  var epochs: [Epoch] = []
  let text = sentence("GNRMC,000000.00,A,4717.5000,N,00833.0000,E,1.0,90.0,221126,,,A")
  for (time, bytes) in [(0, solution(1)), (1000, text + midnight)] {
    decoder.consume(bytes.span, at: at(Int64(time))) { epochs.append($0) }
    decoder.idle(at: at(Int64(time) + 900)) { epochs.append($0) }
  }
  decoder.finish { epochs.append($0) }
  #expect(epochs.count == 2 && epochs.last?.coordinate?.latitude == 47.3)
  #expect(epochs.last?.time?.iso8601 == "2026-11-21T23:59:59.999Z")
}

/// NAV-PVT of 2026-11-22 00:00:00 less 0.12 ms.
private let midnight: [UInt8] = {
  var payload = Array(solution(2, fraction: -120_000).dropFirst(6).dropLast(2))
  payload[7] = 22
  payload[8] = 0
  payload[10] = 0
  return UBXFrame.encode(.navPVT, payload)
}()

@Test func `an epoch waits for no more than a silence`() {
  var decoder = ReceiverDecoder()
  var epochs: [Epoch] = []
  #expect(decoder.nextDeadline == nil)
  decoder.consume(solution(1).span, at: at(0)) { epochs.append($0) }
  #expect(decoder.nextDeadline == at(50))
  decoder.idle(at: at(49)) { epochs.append($0) }
  #expect(epochs.isEmpty)
  decoder.idle(at: at(50)) { epochs.append($0) }
  #expect(epochs.map(short) == ["1u"])
  #expect(epochs.first?.began == at(0))
  #expect(decoder.nextDeadline == nil)
}

@Test func `a frame in two chunks began with the first, one in a chunk with it`() {
  var decoder = ReceiverDecoder()
  var epochs: [Epoch] = []
  let frame = solution(1)
  decoder.consume(frame.span.extracting(0..<50), at: at(10)) { epochs.append($0) }
  decoder.consume(frame.span.extracting(50..<frame.count), at: at(15)) { epochs.append($0) }
  decoder.consume(solution(2).span, at: at(1000)) { epochs.append($0) }
  decoder.finish { epochs.append($0) }
  #expect(epochs.map(\.began) == [at(10), at(1000)])
  #expect(epochs.map(\.ended) == [at(15), at(1000)])
}

@Test func `a frame that is damaged makes no epoch and costs no other`() {
  let good = solution(1) + sentences(1)
  for bit in stride(from: 0, to: solution(1).count * 8, by: 3) {
    var bytes = good
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    bytes += solution(2) + sentences(2)
    var decoder = ReceiverDecoder(configuration: .replay)
    var epochs: [Epoch] = []
    decoder.consume(bytes.span, at: at(0)) { epochs.append($0) }
    decoder.finish { epochs.append($0) }
    #expect(epochs.map(short) == ["1n", "2u"], "bit \(bit)")
  }
}

@Test func `whatever the bytes, no time is handed over twice in a row`() {
  var random = SplitMix64(seed: 5)
  for _ in 0..<200 {
    var decoder = ReceiverDecoder()
    var epochs: [Epoch] = []
    var now = at(0)
    for second in 1..<20 {
      var pieces = [solution(second), sentences(second), correction]
      if Int.random(in: 0..<4, using: &random) == 0 { pieces.remove(at: Int.random(in: 0..<3, using: &random)) }
      if Int.random(in: 0..<4, using: &random) == 0 {
        pieces[0][Int.random(in: 0..<pieces[0].count, using: &random)] ^= 0x10
      }
      pieces.shuffle(using: &random)
      for piece in pieces {
        now = now + .milliseconds(Int.random(in: 0..<30, using: &random))
        let cut = Int.random(in: 0..<piece.count, using: &random)
        decoder.consume(piece.span.extracting(0..<cut), at: now) { epochs.append($0) }
        decoder.consume(piece.span.extracting(cut..<piece.count), at: now) { epochs.append($0) }
      }
      if let deadline = decoder.nextDeadline, Bool.random(using: &random) {
        now = deadline
        decoder.idle(at: now) { epochs.append($0) }
      }
    }
    decoder.finish { epochs.append($0) }
    let times = epochs.compactMap(\.time).map { ($0.nanosecondsSince1970 + 500_000_000) / 1_000_000_000 }
    #expect(
      zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, Comment(rawValue: epochs.map(short).joined(separator: " ")))
  }
}

@Test func `a worse accuracy in NAV-PVT never gives a smaller radius, and an unknown one gives the largest`() throws {
  let radii = try [1, 10, 100, 1000, 10_000, 1_000_000, .max - 1, .max, 0].map { accuracy in
    var decoder = ReceiverDecoder(configuration: .replay)
    var epochs: [Epoch] = []
    decoder.consume(solution(1, accuracy: accuracy).span, at: at(0)) { epochs.append($0) }
    decoder.finish { epochs.append($0) }
    return try #require(epochs.first.flatMap { Fix(measured: $0) }).horizontalAccuracy
  }
  #expect(radii == radii.sorted() && radii[2] < radii[3])
  #expect(radii.last == 15_100_000)
}
