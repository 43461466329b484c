import LineProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import Serving

@Suite struct ConnectionRegistryTests {
  private let stopping = LineError(.shuttingDown, "the gateway stops")

  @Test func `a connection that is not ready is closed, and no other connection is`() async throws {
    let registry = ConnectionRegistry()
    let channels = [NIOAsyncTestingChannel(), NIOAsyncTestingChannel()]
    for (number, channel) in zip([1, 2] as [UInt64], channels) { #expect(registry.add(number, channel)) }
    registry.refuse(3, stopping)
    registry.refuse(1, stopping)
    try await channels[0].closeFuture.get()
    #expect(registry.contains(1) && registry.contains(2) && !registry.contains(3))
    registry.remove(1)
    #expect(!registry.contains(1) && registry.contains(2))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a closing registry refuses connections, cancels all tasks, and waits for the last connection`() async throws {
    let registry = ConnectionRegistry()
    let channel = NIOAsyncTestingChannel()
    #expect(registry.add(1, channel) && registry.add(2, NIOAsyncTestingChannel()))
    let early = Task<Void, Never> { await waitForCancellation() }
    registry.update(early, for: 1)
    let closing = Task { await registry.close(stopping) }
    await early.value
    #expect(!registry.add(3, channel))
    // A task that begins now is cancelled at once.
    let late = Task<Void, Never> { await waitForCancellation() }
    registry.update(late, for: 2)
    await late.value
    try await channel.closeFuture.get()
    registry.remove(1)
    registry.remove(2)
    await closing.value
  }

  @Test(.timeLimit(.minutes(1)))
  func `a registry without connections closes at once`() async {
    await ConnectionRegistry().close(stopping)
  }
}

/// Returns when the task is cancelled.
func waitForCancellation() async {
  for await _ in AsyncStream<Void>(bufferingPolicy: .unbounded, { _ in }) {}
}
