import Features
import Synchronization
import Testing

@testable import onefixd

/// The record of the events of a test, in order.
private final class Record: Sendable {
  private let entries = Mutex<[String]>([])

  var all: [String] { entries.withLock { $0 } }

  func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}

private struct Failure: Error {}

/// A service that waits for its stop, or ends by itself.
private struct TestService: Service {
  enum End { case atStop, early, failing }

  let name: String
  let record: Record
  var end = End.atStop
  /// Yields when the service runs.
  var began: AsyncStream<Void>.Continuation?

  func run(until stop: OneTimeEvent) async throws {
    began?.yield()
    switch end {
    case .early: return
    case .failing: throw Failure()
    case .atStop: await stop.wait()
    }
    record.add(Task.isCancelled ? "\(name) cancelled" : "\(name) stopped")
  }
}

@Suite(.timeLimit(.minutes(5))) struct ServicesTests {
  private let record = Record()

  @Test func `services stop one after the other in the reverse order`() async throws {
    let (begun, began) = AsyncStream.makeStream(of: Void.self)
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let services = ["a", "b", "c"].map { TestService(name: $0, record: record, began: began) }
    async let running: Void = Services(services: services).run(until: stops)
    for await _ in begun.prefix(services.count) {}
    #expect(record.all == [])
    stop.yield()
    try await running
    #expect(record.all == ["c stopped", "b stopped", "a stopped"])
  }

  @Test func `a service that fails, or ends early, ends the daemon with its error`() async {
    let (stops, _) = AsyncStream.makeStream(of: Void.self)
    let waiting = TestService(name: "a", record: record)
    func run(_ end: TestService.End) async throws {
      try await Services(services: [waiting, TestService(name: "b", record: record, end: end)]).run(until: stops)
    }
    await #expect(throws: Failure.self) { try await run(.failing) }
    await #expect(throws: Services.UnexpectedEnd.self) { try await run(.early) }
    #expect(record.all == ["a cancelled", "a cancelled"])
  }

  @Test func `an operation is cancelled at the request, also if the request came before`() async throws {
    for isEarly in [true, false] {
      let stop = OneTimeEvent()
      let (begun, began) = AsyncStream.makeStream(of: Void.self)
      if isEarly { stop.occur() }
      async let operation: Void = stop.cancelling {
        began.yield()
        let (endless, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in endless {}
        #expect(Task.isCancelled)
      }
      for await _ in begun { break }
      stop.occur()
      try await operation
      #expect(stop.hasOccurred)
    }
  }

  @Test func `the handler of a request runs once, and not after the operation`() async {
    let stop = OneTimeEvent()
    await stop.handle({}, then: { Issue.record("the operation has ended") })
    await stop.handle({ stop.occur() }, then: { [record] in record.add("request") })
    await stop.handle({}, then: { [record] in record.add("late") })
    stop.occur()
    #expect(record.all == ["request", "late"])
  }
}
