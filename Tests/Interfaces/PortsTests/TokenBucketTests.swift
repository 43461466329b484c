import Base
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
}

@Test(arguments: [1, 7, 49, 50, 51, 333, 1000])
func `a stream of uses gets the burst and then the rate, however short the time between two uses is`(
  milliseconds: Int
) {
  var bucket = TokenBucket(at: MonotonicInstant(nanoseconds: 0))
  var count = 0
  for time in stride(from: 0, to: 60_000, by: milliseconds) {
    if bucket.consume(at: MonotonicInstant(nanoseconds: 0) + .milliseconds(time)) { count += 1 }
  }
  let uses = (60_000 + milliseconds - 1) / milliseconds
  // 50 at once, and 20 in each of the 60 seconds.
  let most = min(uses, 1250)
  #expect(count <= most && count >= min(uses, 1248), "\(count) of \(uses)")
}

@Test func `a time that goes back and forth gives no tokens twice`() {
  let (start, later) = (MonotonicInstant(nanoseconds: 0), MonotonicInstant(nanoseconds: 0) + .seconds(10))
  var bucket = TokenBucket(at: start)
  let count = (0..<1000).count { bucket.consume(at: $0.isMultiple(of: 2) ? later : start) }
  // The bucket is full at both instants.
  #expect(count == 50)
}

@Test func `a bucket knows its share of tokens, and the time until the next token`() {
  let start = MonotonicInstant(nanoseconds: 0)
  var bucket = TokenBucket(capacity: 2, perSecond: 4, at: start)
  #expect(bucket.share == 1 && bucket.wait == .zero)
  #expect(bucket.consume(at: start) && bucket.consume(at: start) && !bucket.consume(at: start))
  #expect(bucket.share == 0 && bucket.wait == .milliseconds(250))
  bucket.fill(at: start + .milliseconds(125))
  #expect(bucket.share == 0.25 && bucket.wait == .milliseconds(125))
}
