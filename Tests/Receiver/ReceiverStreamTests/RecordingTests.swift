import Base
import Decoding
import GNSS
import Sentences
import Testing

/// Returns the epochs of a recording.
private func recorded(_ sentences: [String]) -> [Epoch] {
  var decoder = ReceiverDecoder(configuration: .replay)
  var epochs: [Epoch] = []
  let bytes = Array(sentences.map(nmeaSentence).joined().utf8)
  decoder.consume(bytes.span, at: at(0)) { epochs.append($0) }
  decoder.finish { epochs.append($0) }
  return epochs
}

/// Returns the epochs of a live line. Each element is the time of arrival in milliseconds, and the contents of sentences.
private func live(_ line: [(Int, [String])]) -> [Epoch] {
  var decoder = ReceiverDecoder()
  var epochs: [Epoch] = []
  for (time, sentences) in line {
    while let deadline = decoder.nextDeadline, deadline <= at(time) { decoder.idle(at: deadline) { epochs.append($0) } }
    let bytes = Array(sentences.map(nmeaSentence).joined().utf8)
    decoder.consume(bytes.span, at: at(time)) { epochs.append($0) }
  }
  decoder.finish { epochs.append($0) }
  return epochs
}

private func clock(_ second: Int) -> String { "12" + two(second / 60) + two(second % 60) }

private func rmc(
  _ time: String, _ latitude: String = "4722.1234", date: String = "010326", from talker: String = "GN"
) -> String {
  "\(talker)RMC,\(time),A,\(latitude),N,00832.5678,E,5.00,45.00,\(date),,,A"
}

private func gga(
  _ time: String, _ latitude: String = "4722.1234", hdop: String = "0.9", quality: Int = 1, from talker: String = "GN"
) -> String {
  "\(talker)GGA,\(time),\(latitude),N,00832.5678,E,\(quality),09,\(hdop),400.0,M,48.0,M,,"
}

private func times(_ epochs: [Epoch]) -> [String] { epochs.map { $0.time?.iso8601 ?? "-" } }
private func latitudes(_ epochs: [Epoch]) -> [Int] {
  epochs.map { $0.coordinate.map { Int((($0.latitude - 47) * 60_000).rounded()) } ?? -1 }
}

// MARK: Dates

@Test func `an epoch has the date of its own sentences, also before a gap of days`() {
  let first = (55...59).flatMap { [rmc("1759\($0).00"), gga("1759\($0).00")] }
  let second = (0...4).flatMap { [rmc("09000\($0).00", date: "090326"), gga("09000\($0).00")] }
  let expected =
    (55...59).map { "2026-03-01T17:59:\($0).000Z" } + (0...4).map { "2026-03-09T09:00:0\($0).000Z" }
  #expect(times(recorded(first + second)) == expected)
  // With ZDA as the first or the last sentence of each epoch.
  func zda(_ time: String, _ day: String) -> String { "GNZDA,\(time),\(day),03,2026,00,00" }
  for isFirst in [true, false] {
    let all = (55...59).map { ("1759\($0).00", "01") } + (0...4).map { ("09000\($0).00", "09") }
    let sentences = all.flatMap { isFirst ? [zda($0, $1), gga($0)] : [gga($0), zda($0, $1)] }
    #expect(times(recorded(sentences)) == expected)
  }
}

@Test func `a fix each day is a fix each day, also at the same time of day`() {
  for step in [0, 1] {
    let days = 1...6
    let sentences = days.map { rmc("08000\($0 * step).000", "4722.\($0)000", date: "0\($0)0326") }
    let expected = days.map { "2026-03-0\($0)T08:00:0\($0 * step).000Z" }
    let epochs = recorded(sentences)
    #expect(times(epochs) == expected)
    #expect(latitudes(epochs) == days.map { 22_000 + $0 * 100 })
    #expect(!epochs.contains { $0.startsSequence })
  }
}

@Test func `a fix each day at the same time has the date of the ZDA before or after the position`() {
  let (days, time) = (1...6, "080000.00")
  for isFirst in [true, false] {
    let sentences = days.flatMap { day in
      let (position, date) = (gga(time, "4722.\(day)000"), "GNZDA,\(time),0\(day),03,2026,00,00")
      return isFirst ? [date, position] : [position, date]
    }
    let epochs = recorded(sentences)
    #expect(times(epochs) == days.map { "2026-03-0\($0)T08:00:00.000Z" })
    #expect(latitudes(epochs) == days.map { 22_000 + $0 * 100 })
  }
}

@Test func `a fix every six hours has its own date`() {
  let hours = (0..<12).map { 8 + 6 * $0 }
  let sentences = hours.map { rmc(two($0 % 24) + "0000.000", date: two(1 + $0 / 24) + "0326") }
  #expect(times(recorded(sentences)) == hours.map { "2026-03-\(two(1 + $0 / 24))T\(two($0 % 24)):00:00.000Z" })
}

@Test func `a step back by days begins a sequence with its own date`() {
  let epochs = recorded([rmc("120000", date: "050326"), rmc("120001", date: "050326"), rmc("120002", date: "020326")])
  #expect(times(epochs).last == "2026-03-02T12:00:02.000Z")
  #expect(epochs.map(\.startsSequence) == [false, false, true])
}

// MARK: Several devices

@Test func `a late copy from another talker is no epoch`() {
  var sentences: [String] = []
  for second in 0..<60 {
    sentences += [rmc(clock(second + 10), from: "GP"), gga(clock(second + 10), from: "GP")]
    sentences += [
      rmc(clock(second + 8), "4722.0000", from: "II"), gga(clock(second + 8), "4722.0000", hdop: "4.0", from: "II"),
    ]
  }
  let epochs = recorded(sentences)
  #expect(epochs.count == 60)
  #expect(epochs.allSatisfy { $0.dilutionOfPrecision.horizontal == 0.9 && !$0.startsSequence })
  #expect(times(epochs) == times(epochs).sorted())
}

@Test func `a late copy is no epoch if its sentences alternate with those of the receiver`() {
  for talkers in [("GP", "II"), ("GP", "GP"), ("II", "IN")] {
    var sentences: [String] = []
    for second in 0..<60 {
      sentences += [rmc(clock(second + 10), from: talkers.0), rmc(clock(second + 8), from: talkers.1)]
      sentences += [gga(clock(second + 10), from: talkers.0), gga(clock(second + 8), from: talkers.1)]
    }
    let epochs = recorded(sentences)
    #expect((59...60).contains(epochs.count))
    #expect(times(epochs) == times(epochs).sorted())
    #expect(Set(times(epochs)).count == epochs.count)
  }
}

@Test func `a step back to the fraction of a second is no copy`() {
  // gpsd's log telit-he910: the receiver begins to align its epochs.
  let times = ["105153.710", "105153.408", "105154.408", "105155.408"]
  #expect(recorded(times.map { rmc($0) }).count == 4)
}

@Test func `the receiver replaces an instrument that was heard first, and is not replaced by it`() {
  var sentences: [String] = []
  for second in 0..<40 {
    sentences.append(gga(clock(second), "4722.0000", hdop: "4.0", from: "II"))
    if second >= 10 { sentences.append(gga(clock(second), from: "GP")) }
  }
  let hdops = recorded(sentences).map { $0.dilutionOfPrecision.horizontal ?? 0 }
  #expect(hdops.count == 40)
  #expect(hdops.first == 4 && hdops.last == 0.9)
  // One change, after the proof of five times.
  #expect(zip(hdops, hdops.dropFirst()).count { $0 != $1 } == 1)
  #expect(hdops.count { $0 == 4 } == 15)
}

@Test func `a receiver that has a fix only now and then does not replace an instrument`() {
  let sentences = (0..<200).flatMap { second in
    [gga(clock(second), hdop: "4.0", from: "II")] + (second % 10 == 9 ? [gga(clock(second), from: "GP")] : [])
  }
  #expect(recorded(sentences).allSatisfy { $0.dilutionOfPrecision.horizontal == 4 })
}

@Test func `another device gives the positions three seconds after the chosen one lost its fix`() {
  var sentences: [String] = []
  for second in 0..<30 {
    sentences.append(gga(clock(second), quality: (10..<20).contains(second) ? 0 : 1, from: "GP"))
    sentences.append(gga(clock(second), hdop: "4.0", from: "II"))
  }
  let sources = recorded(sentences).map { epoch in
    epoch.coordinate == nil ? "-" : epoch.dilutionOfPrecision.horizontal == 4 ? "I" : "G"
  }.joined()
  // At second 20, the receiver has a fix again. It proves itself for five seconds.
  #expect(sources.hasPrefix("GGGGGGGGGG--"))
  #expect(sources.contains("IIIIIIII"))
  #expect(sources.hasSuffix("GGG"))
  #expect(sources.count == 30)
}

@Test func `date and speed can come from another device than the position`() throws {
  let epochs = recorded((0..<5).flatMap { [gga(clock($0), from: "GP"), rmc(clock($0), "4700.0000", from: "II")] })
  #expect(epochs.count == 5)
  for epoch in epochs {
    #expect(latitudes([epoch]) == [22_123])
    #expect(epoch.date == UTCDate(year: 2026, month: 3, day: 1))
    #expect(try #require(epoch.speed) > 2)
  }
}

// MARK: Repeated times

private let slowClock = (0..<40).map { rmc(clock($0 / 10 * 10), "4722.\(two($0))00", from: "GP") }

@Test func `positions that change while their time repeats are epochs of a recording`() {
  let epochs = recorded(slowClock)
  #expect(latitudes(epochs) == (0..<40).map { 22_000 + $0 * 10 })
  #expect(epochs.map(\.isTimeUncertain) == (0..<40).map { $0 % 10 != 0 })
}

@Test func `on a live line, their times continue with the arrival`() {
  let epochs = live(slowClock.enumerated().map { ($0 * 1000, [$1]) })
  // Two devices could report the same time once, so the first repetition ever is no epoch.
  #expect(epochs.count == 39)
  #expect(times(epochs) == times(epochs).sorted())
  #expect(times(epochs).last == "2026-03-01T12:00:39.000Z")
}

@Test func `a boat at rest has an epoch each second although its clock steps`() {
  let still = (40..<80).map { rmc(clock($0 / 10 * 10), "4722.3900", from: "GP") }
  let epochs = live((slowClock + still).enumerated().map { ($0 * 1000, [$1]) })
  #expect(epochs.count == 79)
}

@Test func `a receiver that hangs repeats its epoch, and is silent`() {
  let epochs = live((0..<60).map { ($0 * 1000, [rmc("120000", from: "GP")]) })
  #expect(epochs.count == 1)
}

@Test func `two devices with the same time on a live line are one epoch each second`() {
  let epochs = live(
    (0..<30).flatMap {
      [($0 * 1000, [gga(clock($0), from: "GP")]), ($0 * 1000 + 400, [gga(clock($0), "4722.9000", from: "GP")])]
    })
  #expect(latitudes(epochs) == Array(repeating: 22_123, count: 30))
}

// MARK: Placeholders

@Test(arguments: [
  "GPRMC,120000.00,A,0000.000,N,00000.000,E,0.0,0.0,010326,0.0,E", "GPRMC,120000.00,A,0.000,N,0.000,E,,,010326,,",
  "GPGGA,120000.00,0.000,N,0.000,E,1,00,0.0,0.0,M,0.0,M,,", "GPGGA,120000.00,0.000,N,0.000,E,1,04,99.9,0.0,M,0.0,M,,",
  "GPGGA,120000.00,0.000,S,0.000,W,1,04,,0.0,M,0.0,M,,",
])
func `a position at the exact origin without satellites or with a bad dilution is no fix`(content: String) {
  let epochs = recorded([content])
  #expect(epochs.map(\.coordinate) == [nil])
  #expect(epochs.map(\.quality) == [.invalid])
}

@Test(arguments: [
  "GPGGA,120000.00,0000.000,N,00000.000,E,1,08,0.9,0.0,M,0.0,M,,",
  "GPRMC,120000.00,A,0000.001,N,00000.000,E,0.0,0.0,010326,,,A",
  "GPGGA,120000.00,4722.1,N,00832.5,E,6,00,99.9,0.0,M,0.0,M,,",
  "GNGGA,120213.000,5957.0062,N,01100.6429,E,2,00,1.3,168.9,M,39.5,M,,",
])
func `a position near the origin is a fix, and so is one elsewhere without satellites`(content: String) {
  #expect(recorded([content]).map { $0.coordinate == nil } == [false])
}
