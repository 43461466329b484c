import Clocks
import Hardware
import SimulatedHardware
import Testing

@testable import Gateway

/// A button whose press arrives at once, but whose release arrives only when the gateway asks for all edges.
private final class LateButton: EdgeInput {
  private let events: AsyncStream<EdgeEvent>
  private let continuation: AsyncStream<EdgeEvent>.Continuation
  private let clock: BenchClock
  private let down: MonotonicInstant
  private let length: Duration

  init(_ clock: BenchClock, releasedAfter length: Duration) {
    (self.clock, self.length) = (clock, length)
    down = clock.now + .milliseconds(1)
    (events, continuation) = AsyncStream.makeStream()
  }

  func run(_ receive: @Sendable (EdgeEvent) async -> Void) async throws {
    await receive(.initial(.inactive, at: down - .milliseconds(1)))
    for await event in events { await receive(event) }
  }

  func press() { continuation.yield(.edge(Edge(.active, at: down))) }

  func confirmEdges() {
    let now = clock.now
    if down + length < now { continuation.yield(.edge(Edge(.inactive, at: down + length))) }
    continuation.yield(.confirmed(until: now))
  }
}

@Test(
  .timeLimit(.minutes(10)),
  arguments: [(Duration.milliseconds(100), false), (.milliseconds(2_900), false), (.seconds(30), true)])
func `only a button that was down for the hold time locks, although its release arrives late`(
  length: Duration, locks: Bool
) async throws {
  var late: LateButton?
  try await Bench.with(buttons: { _, clock in
    let button = LateButton(clock, releasedAfter: length)
    late = button
    return [.init(profile: ButtonProfile(name: "main"), input: button)]
  }) { bench in
    let late = try #require(late)
    late.press()
    await bench.until { $0.isButtonDown }
    // The hold time is 3 s.
    await bench.clock.pass(.seconds(4))
    await bench.until { locks ? $0.isLocked : !$0.isButtonDown }
    #expect(await bench.gateway.isLocked == locks)
  }
}
