import Base
import Hardware
import OperatingSystem
import Requirements
import Synchronization
import Testing

@testable import SimulatedHardware

/// Runs a button and forwards its events. An event is *handled* after it was forwarded.
private func events(of button: SimulatedButton) -> (stream: AsyncStream<EdgeEvent>, task: Task<Void, any Error>) {
  let (stream, continuation) = AsyncStream.makeStream(of: EdgeEvent.self)
  let task = Task {
    defer { continuation.finish() }
    try await button.run { continuation.yield($0) }
  }
  return (stream, task)
}

@Test(.patient)
func `a press returns after its release was handled`() async throws {
  let button = SimulatedButton()
  let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
  let handled = Mutex<[EdgeEvent]>([])
  let task = Task {
    try await button.run { event in
      // Handling takes some time.
      for _ in 0..<5 { await Task.yield() }
      handled.withLock { $0.append(event) }
      isReady.yield()
    }
  }
  for await _ in ready { break }
  let before = SystemClock.monotonic
  for count in 1...8 {
    #expect(await button.press(for: .milliseconds(1)))
    #expect(handled.withLock { $0.count } == 1 + 2 * count)
  }
  let edges = handled.withLock { $0 }.compactMap { event -> Edge? in
    if case .edge(let edge) = event { edge } else { nil }
  }
  #expect(edges.map(\.activity) == (0..<8).flatMap { _ in [LineActivity.active, .inactive] })
  let times = edges.map(\.timestamp)
  #expect(times == times.sorted() && times[0] >= before)
  #expect(times[1] - times[0] >= .milliseconds(1))
  task.cancel()
  try await task.value
}

@Test(.patient)
func `the first event of a run is the current level, and setting the same level is not an edge`() async throws {
  let button = SimulatedButton()
  button.down()
  let (stream, task) = events(of: button)
  var iterator = stream.makeAsyncIterator()
  guard case .initial(.active, _)? = await iterator.next() else { throw CancellationError() }
  button.down()
  button.up()
  button.up()
  button.down()
  guard case .edge(let release)? = await iterator.next(), case .edge(let press)? = await iterator.next() else {
    throw CancellationError()
  }
  #expect([release.activity, press.activity] == [.inactive, .active])
  task.cancel()
  try await task.value
}

@Test(.patient)
func `a press returns false while the button is not run, and a button can be run only once at a time`() async throws {
  let button = SimulatedButton()
  #expect(await !button.press(for: .zero))
  let (stream, task) = events(of: button)
  for await _ in stream { break }
  let error = await #expect(throws: HardwareError.self) { try await button.run { _ in } }
  #expect(error?.kind == .busy)
  task.cancel()
  try await task.value
  #expect(await !button.press(for: .zero))
}

@Test(.patient)
func `a press does not wait forever if its events are no longer handled`() async throws {
  let button = SimulatedButton()
  let (reached, isReached) = AsyncStream.makeStream(of: Void.self)
  let task = Task {
    try await button.run { event in
      isReached.yield()
      guard case .edge = event else { return }
      // Blocks on the first edge until it is cancelled.
      while !Task.isCancelled { await Task.yield() }
    }
  }
  var iterator = reached.makeAsyncIterator()
  await iterator.next()
  async let press = button.press(for: .zero)
  await iterator.next()
  task.cancel()
  _ = await press
  try await task.value
}

@Test(.patient)
func `a late task makes a press at most 100 ms longer, and a confirmation follows the release`() async throws {
  let manual = ManualClock()
  let late = Mutex<SimulatedButton?>(nil)
  let clock = SimulationClock(
    reading: manual.clock.reading,
    sleep: { _ in
      manual.pass(.seconds(10))
      late.withLock { $0 }?.confirmEdges()
    })
  let button = SimulatedButton(clock: clock)
  late.withLock { $0 = button }
  let (stream, task) = events(of: button)
  var iterator = stream.makeAsyncIterator()
  let start = clock.reading().monotonic
  #expect(await iterator.next() == .initial(.inactive, at: start))
  #expect(await button.press(for: .milliseconds(100)))
  #expect(await iterator.next() == .edge(Edge(.active, at: start + .nanoseconds(1))))
  #expect(await iterator.next() == .edge(Edge(.inactive, at: start + .milliseconds(200) + .nanoseconds(1))))
  #expect(await iterator.next() == .confirmed(until: start + .seconds(10)))
  task.cancel()
  try await task.value
}
