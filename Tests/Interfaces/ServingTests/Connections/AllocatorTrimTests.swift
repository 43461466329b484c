import NIOCore
import NIOEmbedded
import Ports
import Synchronization
import Testing

@testable import Serving

@Test func `memory is returned once after clients have left, and again after the next`() {
  let count = Mutex(0)
  let trim = AllocatorTrim { count.withLock { $0 += 1 } }
  let eventLoop = EmbeddedEventLoop()
  for _ in 0..<1000 { trim.noteDeparture(on: eventLoop) }
  eventLoop.advanceTime(by: .seconds(30) - .nanoseconds(1))
  #expect(count.withLock { $0 } == 0)
  eventLoop.advanceTime(by: .hours(1))
  #expect(count.withLock { $0 } == 1)
  trim.noteDeparture(on: eventLoop)
  eventLoop.advanceTime(by: .seconds(30))
  #expect(count.withLock { $0 } == 2)
}
