import Testing

@testable import Ports

@Test func `a counter counts each event, and a generator gives each id once`() {
  let (counter, generator) = (Counter(), IDGenerator())
  #expect(counter.count == 0)
  for _ in 0..<3 { counter.increment() }
  #expect(counter.count == 3)
  #expect((0..<3).map { _ in generator.next() } == [1, 2, 3])
}
