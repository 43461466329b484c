import Clocks
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
  "", "2026", "2026-11-21", "2026-11-21T07:31:34", "2026-11-21 07:31:34Z", "2026-02-30T00:00:00Z",
  "2026-11-21T24:00:00Z",
  "2026-11-21T07:31:34.Z", "2026-11-21T07:31:34.0123456789Z", "2026-11-21T07:31:34.2Z ", "2026-11-21T07:31:34+00:00",
  "+026-11-21T07:31:34Z", "2026-11-21T07:31:6xZ", "２０２６-11-21T07:31:34Z",
])
func `any other text is not a time`(text: String) {
  #expect(UTCTime(iso8601: text) == nil)
}
