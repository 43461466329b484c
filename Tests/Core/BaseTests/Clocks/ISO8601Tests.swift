import Base
import Testing

@Test(arguments: [Int64(0), -1_000_000, 1_795_246_294_200_000_000, 4_102_444_799_999_000_000])
func `a formatted time is parsed to the same time`(nanoseconds: Int64) {
  let time = UTCTime(nanosecondsSince1970: nanoseconds)
  #expect(UTCTime(iso8601: time.iso8601) == time)
}

@Test(arguments: [
  ("2026-11-21T07:31:34Z", "2026-11-21T07:31:34.000Z"), ("2026-11-21T07:31:34.2Z", "2026-11-21T07:31:34.200Z"),
  ("2016-12-31T23:59:60.123456789Z", "2016-12-31T23:59:60.123Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
])
func `a second may have up to nine decimals`(text: String, same: String) {
  #expect(UTCTime(iso8601: text)?.iso8601 == same)
}

@Test(arguments: [
  // Home Assistant and Python.
  ("2026-11-26T17:35:48.123456+00:00", "2026-11-26T17:35:48.123Z"),
  ("2026-11-26T17:35:48+00:00", "2026-11-26T17:35:48Z"),
  ("2026-11-26 18:35:48.123456+01:00", "2026-11-26T17:35:48.123Z"), ("2026-11-26T23:05+05:30", "2026-11-26T17:35:00Z"),
  ("2026-11-26T17:35:48+0000", "2026-11-26T17:35:48Z"),
  // JavaScript, RFC 3339, Go and Rust.
  ("2026-11-26T17:35:48.123Z", "2026-11-26T17:35:48.123Z"), ("2026-11-26t17:35:48z", "2026-11-26T17:35:48Z"),
  ("2026-11-26T17:35:48-00:00", "2026-11-26T17:35:48Z"),
  ("2026-11-26T08:35:48.123456789-09:00", "2026-11-26T17:35:48.123Z"),
  // The basic format, a comma, hours as the offset, and the end of a day.
  ("20261126T173548Z", "2026-11-26T17:35:48Z"), ("20261126T1835+01", "2026-11-26T17:35:00Z"),
  ("2026-11-26T17:35:48,5Z", "2026-11-26T17:35:48.500Z"), ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"),
  // Other days in UTC, and leap seconds.
  ("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z"), ("1969-12-31T23:30:00-00:45", "1970-01-01T00:15:00Z"),
  ("1970-01-01T00:00:00+23:59", "1969-12-31T00:01:00Z"), ("0001-01-02T00:00:00+23:59", "0001-01-01T00:01:00Z"),
  ("2017-01-01T00:59:60.5+01:00", "2016-12-31T23:59:60.500Z"),
])
func `a time has an offset from UTC, in the formats of ISO 8601 and RFC 3339`(text: String, same: String) throws {
  let time = try #require(UTCTime(iso8601: same))
  #expect(UTCTime(iso8601: text)?.cutToMilliseconds == time)
}

@Test(arguments: [
  "", "2026", "2026-11-21", "2026-11-21T07:31:34", "2026-11-21 07:31:34", "2026-02-30T00:00:00Z",
  "2026-11-21T24:00:01Z", "2026-11-21T25:00:00Z", "2026-11-21T07:60:00Z", "2026-11-21T07:31:61Z",
  "2026-11-21T07:31:34.Z", "2026-11-21T07:31:34.0123456789Z", "2026-11-21T07:31:34.2Z ", "2026-11-21T07:31:34+24:00",
  "2026-11-21T07:31:34+00:60", "2026-11-21T07:31:34+1:00", "2026-11-21T07:31:34+", "2026-11-21T07:31:34ZZ",
  "2026-1121T07:31:34Z", "202611-21T07:31:34Z", "2026-11-21T0731:34Z", "2026-11-21T07:3134Z", "2026-11-21T07Z",
  "2026-11-21_07:31:34Z", "2026-11-21  07:31:34Z", "2026-W47-6T07:31:34Z", "2026-325T07:31:34Z",
  "+026-11-21T07:31:34Z", "2026-11-21T07:31:6xZ", "２０２６-11-21T07:31:34Z", "0001-01-01T00:00:00+00:01",
  "9999-12-31T24:00:00Z",
])
func `any other text is not a time`(text: String) {
  #expect(UTCTime(iso8601: text) == nil)
}

@Test func `every truncation and every changed bit gives no time, or a time that is written and read again`() {
  let text = Array("2016-12-31 23:59:60.25+01:30".utf8)
  var texts = (0...text.count).map { Array(text[..<$0]) }
  for index in text.indices {
    for bit in 0..<8 {
      var changed = text
      changed[index] ^= 1 << UInt8(bit)
      texts.append(changed)
    }
  }
  let times = texts.compactMap { UTCTime(iso8601: String(decoding: $0, as: UTF8.self)) }
  #expect(times.count > 20)
  for time in times { #expect(UTCTime(iso8601: time.iso8601) == time.cutToMilliseconds) }
}
