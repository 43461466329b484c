import Base
import Decoding
import GNSS
import Sentences
import Testing

func gga(_ time: String, quality: Int = 1, latitude: String = "4807.038") -> String {
  nmeaSentence("GNGGA,\(time),\(latitude),N,01131.000,E,\(quality),08,0.9,545.4,M,46.9,M,,")
}
func rmc(_ time: String, date: String = "211126", latitude: String = "4807.038", status: String = "A") -> String {
  nmeaSentence("GNRMC,\(time),\(status),\(latitude),N,01131.000,E,022.4,084.4,\(date),,,A")
}
func gsa(_ system: Int = 1) -> String { nmeaSentence("GNGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.9,1.2,\(system)") }
func gsv(_ talker: String = "GP", part: Int = 1, of parts: Int = 1) -> String {
  nmeaSentence("\(talker)GSV,\(parts),\(part),04,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45,1")
}
func vtg(_ knots: String = "022.4") -> String { nmeaSentence("GNVTG,084.4,T,,M,\(knots),N,,K,A") }
func gll(_ time: String) -> String { nmeaSentence("GNGLL,4807.038,N,01131.000,E,\(time),A,A") }

/// A decoder with its results and their times.
struct Line {
  var decoder: NMEADecoder
  var recorder = Recorder()
  var now: Int64 = 0

  init(_ configuration: NMEAConfiguration = NMEAConfiguration()) {
    decoder = NMEADecoder(configuration: configuration)
  }

  mutating func send(_ text: String, at milliseconds: Int64? = nil) {
    if let milliseconds { now = milliseconds }
    decoder.consume(Array(text.utf8).span, at: at(now), to: &recorder)
  }

  mutating func wait(_ milliseconds: Int64) {
    now += milliseconds
    decoder.idle(at: at(now), to: &recorder)
  }

  var times: [Int] { recorder.epochs.compactMap { $0.timeOfDay?.second } }
}

private let orders: [(String, @Sendable (String) -> String)] = [
  ("RMC VTG GGA GSA GSV GLL", { rmc($0) + vtg() + gga($0) + gsa(1) + gsa(2) + gsv() + gsv("GL") + gll($0) }),
  ("GGA GSA GSV RMC VTG", { gga($0) + gsa() + gsv() + rmc($0) + vtg() }),
  ("GGA GSA RMC", { gga($0) + gsa() + rmc($0) }),
  ("RMC GGA GSA GSV", { rmc($0) + gga($0) + gsa() + gsv(part: 1, of: 2) + gsv(part: 2, of: 2) }),
  ("RMC GGA GSA GSA GSA", { rmc($0) + gga($0) + gsa(1) + gsa(2) + gsa(3) }),
  ("RMC", { rmc($0) }), ("GGA", { gga($0) }), ("GLL", { gll($0) }),
]

@Test(arguments: orders.indices)
func `the first epochs end with a silence of the line, later epochs end with their last byte`(order: Int) {
  var line = Line()
  for second in 0..<6 {
    let epoch = orders[order].1("12000\(second)")
    line.send(String(decoding: epoch.utf8.dropLast(), as: UTF8.self), at: Int64(second) * 1000)
    if second >= 2 {
      // The line feed has not arrived yet.
      #expect(line.recorder.epochs.count == second + 1)
      #expect(line.decoder.nextDeadline == nil)
    } else {
      #expect(line.recorder.epochs.count == second)
      #expect(line.decoder.nextDeadline == at(Int64(second) * 1000 + 50))
      line.wait(49)
      #expect(line.recorder.epochs.count == second)
      line.wait(1)
      #expect(line.recorder.epochs.count == second + 1)
      #expect(line.decoder.nextDeadline == nil)
    }
    line.send("\n")
  }
  #expect(line.times == [0, 1, 2, 3, 4, 5])
  #expect(line.decoder.statistics.lateSentences == 0)
}

@Test(arguments: orders.indices)
func `a saturated line or a delayed reader results in one epoch for each time`(order: Int) {
  let seconds = (0..<10).map { orders[order].1("12000\($0)") }
  var saturated = Line()
  for second in seconds { saturated.send(second) }
  saturated.decoder.finish(to: &saturated.recorder)
  #expect(saturated.times == Array(0..<10) && saturated.decoder.statistics.lateSentences == 0)
  // Many epochs in one chunk, and chunks that end at any byte.
  let text = Array(seconds.joined().utf8)
  for size in [50, 333, 1000, 5000] {
    var line = Line()
    for start in stride(from: 0, to: text.count, by: size) {
      line.send(String(decoding: text[start..<min(start + size, text.count)], as: UTF8.self), at: line.now + 20)
    }
    line.decoder.finish(to: &line.recorder)
    #expect(line.times == Array(0..<10), "chunks of \(size) bytes")
  }
}

@Test func `GSA and GSV after GGA belong to the same epoch`() throws {
  let recorder = decode(rmc("120000") + gga("120000") + gsa() + gsv() + rmc("120001") + gga("120001"))
  let first = try #require(recorder.epochs.first)
  #expect(first.satellites.map(\.isUsed) == [true, true, false, false])
  #expect(first.dilutionOfPrecision.position == 1.5)
  #expect(recorder.epochs.count == 2)
}

@Test func `satellites in every fifth epoch end at most two other epochs too early`() {
  var line = Line()
  for second in 0..<60 {
    let time = "1200\(second < 10 ? "0" : "")\(second)"
    line.send(rmc(time) + gga(time) + gsa() + (second % 5 == 0 ? gsv() : ""), at: Int64(second) * 1000)
    line.wait(50)
    line.wait(400)
  }
  #expect(line.times == Array(0..<60))
  // The last sentence is trusted too early at most twice.
  #expect(line.decoder.statistics.lateSentences <= 2)
  #expect(line.recorder.epochs.count { $0.satellites.isEmpty } == 0)
}

@Test func `a pause within an epoch makes the decoder wait longer and emit the epoch once`() {
  var line = Line()
  for second in 0..<6 {
    let start = Int64(second) * 1000
    line.send(gga("12000\(second)"), at: start)
    line.wait(50)
    line.send(rmc("12000\(second)"), at: start + 80)
    line.wait(500)
  }
  #expect(line.times == Array(0..<6))
  #expect(line.decoder.statistics.lateSentences <= 1)
}

@Test func `a repeated time is stale`() {
  var line = Line()
  for repetition in 0..<5 {
    line.send(rmc("120000") + gga("120000") + gsa(), at: Int64(repetition) * 1000)
    line.wait(60)
  }
  #expect(line.times == [0])
  line.send(rmc("120001") + gga("120001") + gsa(), at: 6000)
  line.wait(60)
  #expect(line.times == [0, 1])
}

@Test func `a sentence of the epoch before is late, also if the next epoch has begun`() {
  let text = (1..<9).map { gga("12000\($0)") + rmc("12000\($0 - 1)") }.joined()
  let recorder = decode(text)
  #expect(recorder.epochs.compactMap { $0.timeOfDay?.second } == Array(1..<9))
}

@Test func `a time that goes back starts a new sequence`() {
  let recorder = decode(gga("120005") + gga("120006") + gga("110000") + gga("110001"))
  #expect(recorder.epochs.map(\.startsSequence) == [false, false, true, false])
}

@Test func `an invalid sentence changes nothing`() throws {
  let bad = nmeaSentence("GNRMC,120000,X,4807.038,N,01131.000,E,022.4,084.4,211126,,,A")
  let recorder = decode(bad + gga("120000"))
  let epoch = try #require(recorder.epochs.first)
  #expect(epoch.speed == nil && epoch.date == nil)
  #expect(recorder.errors.count == 1)
}

@Test func `the position comes from GGA, else GNS, RMC, GLL or PUBX`() throws {
  let sentences: [(Double, String)] = [
    (1, nmeaSentence("GNGGA,120000,0100.0,N,00000.0,E,1,08,0.9,5,M,,M,,")),
    (2, nmeaSentence("GNGNS,120000,0200.0,N,00000.0,E,AA,08,0.9,5,4,,,V")),
    (3, nmeaSentence("GNRMC,120000,A,0300.0,N,00000.0,E,,,211126,,,A")),
    (4, nmeaSentence("GNGLL,0400.0,N,00000.0,E,120000,A,A")),
    (5, nmeaSentence("PUBX,00,120000.00,0500.0,N,00000.0,E,5,G3,2,2,0,0,0,,1,1,1,9,0,0")),
  ]
  for first in sentences.indices {
    let rest = sentences[first...]
    for order in [Array(rest), rest.reversed()] {
      let recorder = decode(order.map(\.1).joined())
      #expect(recorder.errors == [])
      #expect(recorder.epochs.map(\.coordinate?.latitude) == [sentences[first].0])
    }
  }
}

@Test(arguments: [
  ("", 2.1 as Double?, 3.5 as Double?),
  // GST contains both errors, or one of them.
  ("GNGST,120000,,,,,1.5,1.2,3.0", nil, nil), ("GNGST,120000,,,,,1.5,1.2,", nil, 3.5),
  ("GNGST,120000,,,,,1.5,,3.0", 2.1, nil),
])
func `the error estimates of PUBX and PQTMEPE replace missing ones of GST`(
  gst: String, horizontal: Double?, vertical: Double?
) throws {
  for content in [
    "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,G3,2.1,3.5,36.0,77.5,0.0,,0.92,1.19,0.77,9,0,0",
    "PQTMEPE,2,1.2,1.7,3.5,2.1,4.1",
  ] {
    let estimate = nmeaSentence(content)
    let errors = gst.isEmpty ? "" : nmeaSentence(gst)
    for text in [
      gga("120000") + errors + estimate, estimate + gga("120000") + errors, gga("120000") + estimate + errors,
    ] {
      let epoch = try #require(decode(text + gga("120001")).epochs.first)
      #expect((epoch.horizontalAccuracy, epoch.verticalAccuracy) == (horizontal, vertical))
    }
    let next = try #require(decode(gga("120000") + estimate + gga("120001")).epochs.last)
    #expect(next.horizontalAccuracy == nil && next.verticalAccuracy == nil)
  }
}

@Test(arguments: [
  "PGRME,4.7,M,6.2,M,7.8,M",
  "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,NF,2.1,3.5,36.0,77.5,0.0,,0.92,1.19,0.77,9,0,0",
  "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,TT,2.1,3.5,36.0,77.5,0.0,,0.92,1.19,0.77,9,0,0",
  "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,G3,0.0,0.0,36.0,77.5,0.0,,0.92,1.19,0.77,9,0,0",
  "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,G3,,,36.0,77.5,0.0,,0.92,1.19,0.77,9,0,0",
])
func `PGRME and PUBX without a fix, and PUBX with an error of 0, contain no error estimates`(content: String) throws {
  let isPUBX = content.hasPrefix("PUBX")
  let epoch = try #require(decode(gga("120000", quality: isPUBX ? 1 : 0) + nmeaSentence(content)).epochs.first)
  #expect((epoch.coordinate != nil) == isPUBX)
  #expect(epoch.horizontalAccuracy == nil && epoch.verticalAccuracy == nil)
}

@Test(arguments: [
  (rmc("120001"), 0.9 as Double?), (gll("120010"), 0.9), (rmc("120001") + rmc("120010"), 0.9), (gll("120011"), nil),
  (rmc("115959"), nil), (gga("120001", quality: 0) + rmc("120002"), nil),
  (rmc("120001") + nmeaSentence("GNGSA,A,3,01,02,03,04,,,,,,,,,4.1,3.2,2.5") + gll("120002"), 3.2),
])
func `a fix whose sentences have no accuracy has the accuracy of the fix before, for 10 s`(
  later: String, expected: Double?
) throws {
  let epoch = try #require(decode(gga("120000") + later).epochs.last)
  #expect(epoch.coordinate != nil && epoch.dilutionOfPrecision.horizontal == expected)
}

@Test func `error estimates, and the report that the accuracy is unknown, also count for the next fix`() throws {
  let estimate = nmeaSentence("PQTMEPE,2,1.2,1.7,3.5,2.1,4.1")
  let estimated = try #require(decode(gga("120000") + estimate + rmc("120001")).epochs.last)
  // A position of two dimensions has no vertical accuracy.
  #expect((estimated.horizontalAccuracy, estimated.verticalAccuracy) == (2.1, nil))
  let errors = nmeaSentence("GNGST,120000,,,,,1.5,1.2,3.0")
  let statistics = try #require(decode(gga("120000") + errors + rmc("120001")).epochs.last).errorStatistics
  #expect(statistics == ErrorStatistics(latitude: 1.5, longitude: 1.2, altitude: 3.0))
  let unknown = nmeaSentence("GNGGA,120000,4807.038,N,01131.000,E,1,08,0.0,545.4,M,46.9,M,,")
  #expect(decode(unknown + rmc("120001") + rmc("120011")).epochs.map(\.deniesAccuracy) == [true, true, false])
}

@Test func `GGA has priority if it reports no fix`() {
  #expect(decode(gga("120000", quality: 0) + rmc("120000")).epochs.map(\.coordinate) == [nil])
  #expect(decode(rmc("120000") + gga("120000", quality: 0)).epochs.map(\.coordinate) == [nil])
}

@Test func `a position of GGA that the status of RMC warns against is not a fix`() {
  let warning = rmc("120000", status: "V")
  let orders = [gga("120000") + warning, warning + gga("120000"), warning + gga("120000") + gll("120000")]
  for order in orders {
    let epochs = decode(order).epochs
    #expect(epochs.map(\.coordinate) == [nil] && epochs.map(\.quality) == [.invalid])
    #expect(epochs.map(\.speed) == [nil])
  }
  // The option `unmeasured` permits estimated positions. Another system of the receiver can have a fix.
  #expect(decode(gga("120000", quality: 6) + warning).epochs.map(\.quality) == [.estimated])
  let other = nmeaSentence("GPRMC,120000,V,4807.038,N,01131.000,E,022.4,084.4,211126,,,A")
  for statuses in [other + rmc("120000"), rmc("120000") + other] {
    #expect(decode(gga("120000") + statuses).epochs.map(\.quality) == [.autonomous])
  }
}

@Test(arguments: [
  ("GGA,120000,,,,,0,03,,,M,,M,,", "GGA,120000,4807.038,N,01131.000,E,1,05,2.0,410.0,M,48.0,M,,"),
  ("GNS,120000,,,,,N,00,,,,,", "GNS,120000,4807.038,N,01131.000,E,AN,05,2.0,410.0,48.0,,,V"),
  ("RMC,120000,V,,,,,,,211126,,,N", "RMC,120000,A,4807.038,N,01131.000,E,022.4,084.4,211126,,,A"),
])
func `the fix of one system counts, although another system of the receiver has none`(none: String, fix: String) {
  let latitude = 48 + 7.038 / 60
  for (first, second) in [("GP" + none, "GN" + fix), ("GL" + fix, "GP" + none)] {
    let epochs = decode(nmeaSentence(first) + nmeaSentence(second)).epochs
    #expect(epochs.map { $0.coordinate.map { abs($0.latitude - latitude) < 1e-9 } } == [true])
    #expect(epochs.first?.satellitesUsed == (fix.hasPrefix("RMC") ? nil : 5))
    #expect(epochs.first?.course == (fix.hasPrefix("RMC") ? 84.4 : nil))
  }
  // A sentence of the same system does not correct the first one.
  #expect(decode(nmeaSentence("GN" + none) + nmeaSentence("GN" + fix)).epochs.first?.coordinate == nil)
}

@Test func `a receiver without a time still has epochs`() {
  let cold =
    nmeaSentence("GNRMC,,V,,,,,,,,,,N") + nmeaSentence("GNVTG,,,,,,,,,N") + nmeaSentence("GNGGA,,,,,,0,00,99.99,,,,,,")
    + gsv()
    + nmeaSentence("GNGLL,,,,,,V,N")
  for learnsEnd in [true, false] {
    var configuration = NMEAConfiguration.replay
    configuration.learnsEnd = learnsEnd
    let recorder = decode(String(repeating: cold, count: 5), configuration)
    #expect(recorder.epochs.count == 5)
    #expect(recorder.epochs.allSatisfy { $0.coordinate == nil && $0.satellites.count == 4 })
  }
}

@Test func `a repeated VTG before the sentence with the time begins an epoch`() {
  let recorder = decode(
    vtg("1.0") + gga("120000") + gsa() + vtg("2.0") + gga("120001") + gsa() + vtg("3.0") + gga("120002"))
  let knots = recorder.epochs.map { epoch in Int((epoch.speed ?? 0) * 3600 / 1852 + 0.5) }
  #expect(knots == [1, 2, 3])
}

@Test func `sentences of one type from two talkers belong to the same epoch`() throws {
  let talkers = ["GP", "GA"]
  func epoch(_ second: Int) -> String {
    let time = "12000\(second)"
    return talkers.map { nmeaSentence("\($0)GGA,\(time),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,") }.joined()
      + talkers.map { nmeaSentence("\($0)VTG,084.4,T,,M,\(second).0,N,,K,A") }.joined()
      + talkers.map { nmeaSentence("\($0)ZDA,\(time),21,11,2026,00,00") }.joined()
      + talkers.map { nmeaSentence("\($0)GST,\(time),,,,,\(second + 1).0,\(second + 1).0,9.0") }.joined()
  }
  for learnsEnd in [true, false] {
    var configuration = NMEAConfiguration.replay
    configuration.learnsEnd = learnsEnd
    var line = Line(configuration)
    for second in 0..<6 { line.send(epoch(second), at: learnsEnd ? Int64(second) * 1000 : 0) }
    line.decoder.finish(to: &line.recorder)
    let epochs = line.recorder.epochs
    #expect(line.times == [0, 1, 2, 3, 4, 5])
    #expect(epochs.map { Int((($0.speed ?? 9) * 3600 / 1852).rounded()) } == [0, 1, 2, 3, 4, 5])
    #expect(epochs.map(\.errorStatistics?.latitude) == [1, 2, 3, 4, 5, 6])
    #expect(epochs.allSatisfy { $0.date == UTCDate(year: 2026, month: 11, day: 21) })
    #expect(line.decoder.statistics.lateSentences == 0)
  }
}

@Test func `a receiver without a time that changes its talker still has epochs`() {
  func cold(_ talker: String) -> String {
    nmeaSentence("\(talker)RMC,,V,,,,,,,,,,N") + nmeaSentence("\(talker)GGA,,,,,,0,00,99.99,,,,,,")
  }
  #expect(decode(cold("GP") + cold("GN") + cold("GN") + cold("GN")).epochs.count == 3)
}

@Test func `an epoch contains the arrival times of its first and last bytes`() throws {
  var line = Line()
  let text = gga("120000") + rmc("120000")
  line.send(String(text.prefix(20)), at: 100)
  line.send(String(text.dropFirst(20).prefix(80)), at: 110)
  line.send(String(text.dropFirst(100)), at: 120)
  line.wait(60)
  let epoch = try #require(line.recorder.epochs.first)
  #expect((epoch.began, epoch.ended) == (at(100), at(120)))
}

@Test func `there is no deadline before the first byte`() {
  var line = Line()
  #expect(line.decoder.nextDeadline == nil)
  line.send("noise\r\n")
  #expect(line.decoder.nextDeadline == nil)
  line.wait(1000)
  line.decoder.finish(to: &line.recorder)
  #expect(line.recorder.epochs == [])
}
