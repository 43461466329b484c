import Clocks
import Ports
import Testing

@Test func `a bucket allows a burst of 50 and then 20 in a second`() {
  var now = MonotonicInstant(nanoseconds: 0)
  var bucket = TokenBucket(at: now)
  func taken() -> Int {
    var count = 0
    for _ in 0..<60 where bucket.consume(at: now) { count += 1 }
    return count
  }
  #expect(taken() == 50)
  now = now + .seconds(1)
  #expect(taken() == 20)
  now = now + .seconds(3600)
  #expect(taken() == 50)
  now = MonotonicInstant(nanoseconds: 0)
  #expect(taken() == 0)
}
