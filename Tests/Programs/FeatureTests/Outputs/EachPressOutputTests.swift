import Base
import LineProtocol
import Ports
import RecordingClients
import Requirements
import Synchronization
import Testing

@testable import Features

/// A target whose answers depend on the number of the attempt, and that can be away for some time.
private final class TimedTarget: OutputTarget {
  typealias Answer = @Sendable (_ attempt: Int) async -> OutputError?

  private let time: PassingTime
  private let answer: Answer
  private let back: MonotonicInstant?
  private let state = Mutex((tests: 0, attempts: 0, delivered: [String]()))

  /// - Parameter back: the time until which the server is away; nil for a server that is never away.
  init(at time: PassingTime, awayUntil back: MonotonicInstant? = nil, answer: @escaping Answer = { _ in nil }) {
    self.time = time
    self.back = back
    self.answer = answer
  }

  /// The fixes that the target has, in their order.
  var delivered: [String] { state.withLock(\.delivered) }
  var tests: Int { state.withLock(\.tests) }

  func test() async throws(OutputError) {
    state.withLock { $0.tests += 1 }
    if let back, time.now < back { throw OutputError("connect to", "m.example.org", .unreachable) }
  }

  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    let attempt = state.withLock {
      $0.attempts += 1
      return $0.attempts
    }
    if let error = await answer(attempt) { throw error }
    guard isIndicated() else { return false }
    state.withLock { $0.delivered.append(String(decoding: publication.messages[0].payload, as: UTF8.self)) }
    return true
  }
}

@Suite(.patient) struct EachPressOutputTests {
  private let time = PassingTime()
  private let book = RecordingLog()

  private static func busy(_ pause: Duration) -> OutputError {
    OutputError("send a fix to", "m.example.org", .busy, detail: "429", retryAfter: pause)
  }

  /// Runs an output with its gateway until the end of the body.
  private func run(
    _ gateway: PressedGateway, _ target: TimedTarget, _ body: (PressedGateway) async throws -> Void
  ) async throws {
    let output = EachPressOutput(
      OutputForm.test, of: .family, over: .http, to: target, clock: time.clock, logger: book.logger)
    let stop = OneTimeEvent()
    let running = Task { try await output.run(gateway, until: stop) }
    do { try await body(gateway) } catch {
      running.cancel()
      throw error
    }
    stop.occur()
    try await running.value
  }

  private func ends(_ count: Int, of gateway: PressedGateway) async -> [String] {
    for await ends in gateway.changes where ends.count >= count { return ends }
    return []
  }

  /// Returns the length of the next pause.
  private func pause() async throws -> Duration {
    for await pause in time.pauses { return pause }
    throw CancellationError()
  }

  @Test func `a server that is away for an hour gets each fix once when it is back, oldest first`() async throws {
    let back = time.now + .seconds(3600)
    let target = TimedTarget(at: time, awayUntil: back)
    try await run(PressedGateway(at: time), target) { gateway in
      for _ in 0..<3 { try await gateway.press() }
      while time.now < back { time.pass(try await pause()) }
      #expect(await ends(3, of: gateway) == ["1 acknowledged", "2 acknowledged", "3 acknowledged"])
      // The output reports changes only. The gateway shows the time of the last report.
      #expect(await gateway.connections == [true])
    }
    #expect(target.delivered == ["1", "2", "3"])
    #expect(book.all.count { $0.hasPrefix("cannot use an output; trying again ") } == 1, "each cause is logged once")
    // The pauses begin with 5 s at most, are doubled, and then last between 150 s and 300 s.
    #expect((13...31).contains(target.tests), "\(target.tests) attempts")
  }

  @Test func `a server that is away for a day gets nothing, and each fix is told as expired`() async throws {
    let target = TimedTarget(at: time, awayUntil: time.now + .seconds(100_000))
    let end = time.now + .seconds(86_400)
    try await run(PressedGateway(at: time), target) { gateway in
      for _ in 0..<2 { try await gateway.press() }
      while time.now < end { time.pass(try await pause()) }
      await gateway.passTime()
      #expect(await gateway.ends == ["1 expired", "2 expired"])
    }
    #expect(target.delivered == [])
  }

  @Test func `a fix is not sent again before the time that the server chose, and arrives once`() async throws {
    let target = TimedTarget(at: time) { attempt in attempt == 1 ? Self.busy(.seconds(3000)) : nil }
    try await run(PressedGateway(at: time), target) { gateway in
      try await gateway.press()
      let pause = try await pause()
      #expect(pause == .seconds(3000))
      time.pass(pause - .nanoseconds(1))
      try await gateway.press()
      #expect(target.delivered == [])
      time.pass(.nanoseconds(1))
      #expect(await ends(2, of: gateway) == ["1 acknowledged", "2 acknowledged"])
      #expect(await gateway.connections == [true, false, true])
    }
    #expect(target.delivered == ["1", "2"])
  }

  @Test func `a fix whose indication ends while the target connects is given again, and is sent once`() async throws {
    // The test's gateway indicates each use for 2 s.
    let target = TimedTarget(at: time) { [time] attempt in
      if attempt <= 2 { time.pass(.seconds(2)) }
      return nil
    }
    try await run(PressedGateway(at: time), target) { gateway in
      try await gateway.press()
      #expect(await ends(1, of: gateway) == ["1 acknowledged"])
      #expect(await gateway.given == 3)
      #expect(await gateway.connections == [true])
    }
    #expect(target.delivered == ["1"])
  }

  /// Returns a server that gets the first fix and never answers, and the stream of its calls.
  private func slowTarget() -> (TimedTarget, calls: AsyncStream<Void>) {
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    let target = TimedTarget(at: time) { attempt in
      guard attempt == 1 else { return nil }
      call.yield()
      // Only the end of the delivery ends this wait.
      await OneTimeEvent().wait()
      return OutputError("send a fix to", "m.example.org", .ended)
    }
    return (target, calls)
  }

  @Test func `a daemon that stops during a delivery sends the same fix again at its next start`() async throws {
    let (target, calls) = slowTarget()
    let first = try PressedGateway(at: time)
    try await run(first, target) { gateway in
      try await gateway.press()
      for await _ in calls { break }
    }
    #expect(await first.ends == [])
    try await run(PressedGateway(at: time, with: first.waiting), target) { gateway in
      #expect(await ends(1, of: gateway) == ["1 acknowledged"])
    }
    #expect(target.delivered == ["1"])
  }

  @Test func `a withdrawal interrupts a slow delivery, and the next fix follows without a pause`() async throws {
    let (target, calls) = slowTarget()
    try await run(PressedGateway(at: time), target) { gateway in
      try await gateway.press()
      for await _ in calls { break }
      await gateway.withdraw()
      try await gateway.press()
      #expect(await ends(2, of: gateway) == ["1 lost", "2 acknowledged"])
      #expect(await gateway.connections == [true])
    }
    #expect(target.delivered == ["2"])
  }

  @Test func `a fix that the server refuses is told as lost, and the next fix follows without a pause`() async throws {
    let target = TimedTarget(at: time) { attempt in
      attempt == 1 ? OutputError("send a fix to", "m.example.org", .rejected, detail: "400") : nil
    }
    try await run(PressedGateway(at: time), target) { gateway in
      for _ in 0..<2 { try await gateway.press() }
      #expect(await ends(2, of: gateway) == ["1 refused", "2 acknowledged"])
      #expect(book.all.count { $0.hasPrefix("an output refused a fix, which is lost ") } == 1)
    }
    #expect(target.delivered == ["2"])
  }

  /// With a second call, the gateway would give the next fix twice.
  @Test func `the output reports once for each fix that it is ready for the next one, also after a withdrawal`()
    async throws
  {
    let target = TimedTarget(at: time)
    try await run(PressedGateway(at: time), target) { gateway in
      for number in 1...200 {
        try await gateway.press()
        if number % 2 == 0 { await gateway.withdraw() }
        for await ends in gateway.changes where ends.count == number { break }
      }
      for await _ in gateway.changes where await gateway.given == gateway.readied { break }
      #expect(await gateway.ends.count == 200)
    }
    #expect(Set(target.delivered).count == target.delivered.count)
  }
}
