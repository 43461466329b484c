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
