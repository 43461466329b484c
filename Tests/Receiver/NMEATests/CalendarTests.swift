import Base
import GNSS
import Sentences
import Testing

@testable import Decoding

private func dates(_ text: String, floor: UTCDate? = nil) -> [String] {
  var configuration = NMEAConfiguration.replay
  configuration.rolloverFloor = floor
  return decode(text, configuration).epochs.map { $0.time?.iso8601 ?? "-" }
}

private let floor = UTCDate(year: 2026, month: 1, day: 1)

@Test func `midnight between GGA and RMC does not move a day, in either order`() {
  let expected = [
    "2026-11-21T23:59:58.000Z", "2026-11-21T23:59:59.000Z", "2026-11-22T00:00:00.000Z", "2026-11-22T00:00:01.000Z",
  ]
  let days = [("235958", "211126"), ("235959", "211126"), ("000000", "221126"), ("000001", "221126")]
  #expect(dates(days.map { gga($0.0) + rmc($0.0, date: $0.1) }.joined()) == expected)
  #expect(dates(days.map { rmc($0.0, date: $0.1) + gga($0.0) }.joined()) == expected)
  // The RMC of midnight is lost.
  #expect(dates(days.map { gga($0.0) + ($0.0 == "000000" ? "" : rmc($0.0, date: $0.1)) }.joined()) == expected)
  // No sentence with a date follows midnight.
  #expect(dates(days.map { gga($0.0) + ($0.0.hasPrefix("00") ? "" : rmc($0.0, date: $0.1)) }.joined()) == expected)
}

@Test(arguments: [(0, 0, 12, 0, 21), (0, 0, 12, 1, 20), (12, 0, 0, 0, 21), (12, 1, 0, 0, 22)])
func `a time of day is nearest to the last time, and exactly half a day away it is on the same day`(
  hour: Int, nanosecond: Int, nextHour: Int, nextNanosecond: Int, day: Int
) throws {
  let first = try #require(TimeOfDay(hour: hour, minute: 0, second: 0, nanosecond: nanosecond))
  let next = try #require(TimeOfDay(hour: nextHour, minute: 0, second: 0, nanosecond: nextNanosecond))
  var calendar = Calendar(floor: nil)
  calendar.learn(try #require(UTCDate(year: 2026, month: 11, day: 21)), at: first, hasFix: true)
  let date = calendar.date(at: next)
  #expect(date == UTCDate(year: 2026, month: 11, day: day))
}

@Test func `a clock that is ahead of its position has the correct day`() {
  // ZDA of the next second, between the sentences of the current one.
  let text =
    gga("235958") + nmeaSentence("GNZDA,235959,21,11,2026,,") + gga("235959")
    + nmeaSentence("GNZDA,000000,22,11,2026,,")
    + gga("000000")
  #expect(dates(text) == ["2026-11-21T23:59:58.000Z", "2026-11-21T23:59:59.000Z", "2026-11-22T00:00:00.000Z"])
}

@Test func `a leap second stays in its minute`() {
  let text = rmc("235959", date: "311216") + rmc("235960", date: "311216") + rmc("000000", date: "010117")
  #expect(dates(text) == ["2016-12-31T23:59:59.000Z", "2016-12-31T23:59:60.000Z", "2017-01-01T00:00:00.000Z"])
  #expect(decode(text).epochs.allSatisfy { !$0.startsSequence && !$0.isDateCorrected })
}

@Test(arguments: [
  ("311299", "1999-12-31"), ("010100", "2000-01-01"), ("211126", "2026-11-21"), ("311279", "2079-12-31"),
  ("010181", "1981-01-01"), ("080180", "1980-01-08"), ("311216", "2016-12-31"),
])
func `a two-digit year is between 1980 and 2079, and the date of an old log is not corrected`(
  date: String, expected: String
) {
  let epochs = decode(rmc("120000", date: date)).epochs
  #expect(epochs.map { $0.time?.iso8601 } == ["\(expected)T12:00:00.000Z"])
  #expect(epochs.map(\.isDateCorrected) == [false])
}

@Test(arguments: ["050180", "060180", "070180", "010180", "000000", "2111-1", ""])
func `the default date of a cold start is ignored, and the position is used`(date: String) throws {
  for floor in [floor, nil] {
    #expect(dates(rmc("120000", date: date), floor: floor) == ["-"])
  }
  #expect(decode(rmc("120000", date: date)).epochs.first?.coordinate != nil)
  #expect(dates(nmeaSentence("GPZDA,120000,06,01,2080,,") + gga("120000"), floor: floor) == ["-"])
  #expect(dates(nmeaSentence("GPZDA,120000,06,01,-1,,") + gga("120000"), floor: floor) == ["-"])
}

@Test func `a date before the floor is moved by 1024 weeks and marked`() throws {
  // 2007-04-07 + 7168 days = 2026-11-21.
  var configuration = NMEAConfiguration()
  configuration.rolloverFloor = floor
  let epoch = try #require(decode(rmc("120000", date: "070407"), configuration).epochs.first)
  #expect(epoch.time?.iso8601 == "2026-11-21T12:00:00.000Z")
  #expect(epoch.isDateCorrected)
  let right = try #require(decode(rmc("120000", date: "211126"), configuration).epochs.first)
  #expect(!right.isDateCorrected)
  // Another system of the receiver has no fix.
  let none = nmeaSentence("GPRMC,120000,V,,,,,,,070407,,,N")
  let second = try #require(decode(none + rmc("120000", date: "070407"), configuration).epochs.first)
  #expect(second.time?.iso8601 == "2026-11-21T12:00:00.000Z" && second.isDateCorrected)
  // Two rollovers.
  let old = try #require(decode(rmc("120000", date: "220887"), configuration).epochs.first)
  #expect(old.time?.iso8601 == "2026-11-21T12:00:00.000Z")
}

@Test func `the date of a clock that was never set is unknown`() {
  #expect(dates(rmc("120000", date: "220899", status: "V"), floor: floor) == ["-"])
  // A converter of NMEA 2000 writes this date with the status A, and a position of zeros.
  let zeros = nmeaSentence("GPRMC,120000,A,0.000,N,0.000,E,0.0,0.0,050505,0.0,E")
  #expect(dates(zeros + gga("120001"), floor: floor) == ["-", "-"])
}

@Test func `after hours of silence the day is unknown until the next date, also the first after days of uptime`() {
  var silent = Line()
  silent.send(rmc("120000"), at: 0)
  silent.wait(100)
  silent.send(gga("120500"), at: 86_400_000 * 3)
  silent.wait(300)
  #expect(silent.recorder.epochs.map { $0.date == nil } == [false, true])
  var line = Line()
  line.send(rmc("120000"), at: 86_400_000 * 3)
  line.wait(300)
  line.send(rmc("120500"), at: 86_400_000 * 6)
  line.wait(300)
  line.send(gga("120501"), at: 86_400_000 * 6 + 1000)
  line.wait(300)
  #expect(line.recorder.epochs.map { $0.date == nil } == [false, false, false])
}
