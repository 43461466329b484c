import Base
import Testing

@Test(
  arguments: [
    (.zero, 0), (.microseconds(999), 0), (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1001), 2),
    (.seconds(60), 60),
  ] as [(Duration, Int64)])
func `a duration is rounded up to whole seconds`(duration: Duration, seconds: Int64) {
  #expect(duration.secondsRoundedUp == seconds)
}

@Test(
  arguments: [
    (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.max) + .nanoseconds(1), .max), (.seconds(Int64.max), .max),
    (.nanoseconds(Int64.min), .min), (.nanoseconds(Int64.min) - .nanoseconds(1), .min), (.seconds(Int64.min), .min),
    (.milliseconds(-1500), -1_500_000_000),
  ] as [(Duration, Int64)])
func `a duration in nanoseconds is limited to 64 bits`(duration: Duration, nanoseconds: Int64) {
  #expect(duration.clampedNanoseconds == nanoseconds)
}

@Test func `a duration in milliseconds is rounded toward zero`() {
  #expect(Duration.nanoseconds(1_999_999).milliseconds == 1 && Duration.nanoseconds(-1_999_999).milliseconds == -1)
}
