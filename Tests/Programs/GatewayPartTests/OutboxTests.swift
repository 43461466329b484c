import Authorization
import Disclosure
import LineProtocol
import Ports
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Gateway

@Suite struct OutboxTests {
  private let fixes: OutboxFixes
  private let record = Record()
  private let bridge: RecordingConnection
  private let other: RecordingConnection

  init() throws {
    fixes = try OutboxFixes(at: clock())
    bridge = record.connection(1, transport: .mqtt, broker: RecordingBroker(PlainForm("one")))
    other = record.connection(2, transport: .mqtt, broker: RecordingBroker(PlainForm("two")))
  }

  private func fix(
    _ app: AppID = a, _ bridge: String = "one", life: Duration = .seconds(600)
  ) throws -> OutboxEntry {
    try fixes.add(app, sink: bridge, expires: clock(life).utc, at: clock())
  }

  private func add(
    _ app: AppID = a, _ bridge: String = "one", to outbox: inout Outbox, life: Duration = .seconds(600)
  ) throws -> OutboxEntry {
    let fix = try fix(app, bridge)
    outbox.add(fix, SessionID(1), expires: at(life), indicationEnd: at(.seconds(2)))
    return fix
  }

  /// Lets time pass.
  /// - Returns: One short line for each recall, settlement and output.
  private func pass(
    _ outbox: inout Outbox, to time: Duration, isLocked: Bool = false, isAllowed: Bool = true
  ) -> [String] {
    settlements { outbox.pass(to: at(time), isLocked: isLocked, &$0) { _, _ in isAllowed } }
  }

  private func settlements(_ body: (inout Outputs) -> [Outbox.Settlement]) -> [String] {
    var settlements: [Outbox.Settlement] = []
    let outputs = record.lines { settlements = body(&$0) }
    return outputs + settlements.map { "settle \($0.fix.number) \($0.outcome)" }
  }

  private func connect(
    _ outbox: inout Outbox, _ bridge: RecordingConnection, for timeout: Duration? = nil, at time: Duration = .zero
  ) {
    outbox.connect(bridge, with: .five, awaitingSubscriberFor: timeout, at: at(time))
  }

  /// An outbox with a bridge whose broker is connected.
  private func outbox() -> Outbox {
    var outbox = Outbox(at: clock())
    outbox.open(bridge, at: at(.zero))
    connect(&outbox, bridge)
    return outbox
  }

  // MARK: From the outbox to the broker

  @Test func `the fixes of a bridge are published one after the other, and settled when the broker has them`() throws {
    var outbox = outbox()
    let first = try add(to: &outbox)
    #expect(outbox.due.map(\.fix.number) == [first.number])
    outbox.notePublished(first, isLate: false)
    let second = try add(to: &outbox)
    #expect(outbox.sinks[0].inFlight == first.number && outbox.due.isEmpty)
    #expect(
      settlements { outbox.settle(first.number, .acknowledged, &$0) }
        == ["log info: an output acknowledged a fix", "settle \(first.number) acknowledged"])
    #expect(outbox.due.isEmpty, "the broker is not ready for the next fix")
    outbox.noteReady(bridge)
    #expect(outbox.due.map(\.fix.number) == [second.number])
    _ = settlements { outbox.settle(second.number, .acknowledged, &$0) }
    #expect(outbox.count(of: "one") == 0 && outbox.nextDeadline == nil)
    #expect(settlements { outbox.settle(first.number, .acknowledged, &$0) } == [])
  }

  @Test func `each bridge has its own fixes`() throws {
    var outbox = outbox()
    let fix = try add(b, "two", to: &outbox)
    #expect(outbox.due.isEmpty)
    outbox.open(other, at: at(.zero))
    connect(&outbox, other)
    #expect(outbox.due.map(\.fix.number) == [fix.number])
    #expect(outbox.sortedSinks.map(\.form.name) == ["one", "two"])
    outbox.close(other)
    #expect(outbox.due.isEmpty && outbox.sinks.count == 1)
  }

  @Test func `a broker that is new has lost no subscriber, unless an earlier run left a fix`() throws {
    for isLeft in [true, false] {
      let fix = try fix()
      var outbox = Outbox(isLeft ? [fix] : [], at: clock())
      outbox.open(bridge, at: at(.zero))
      connect(&outbox, bridge, for: .seconds(30))
      #expect(outbox.sinks[0].heldUntil == (isLeft ? at(.seconds(30)) : nil))
    }
  }

  @Test(
    arguments: [
      ("reconnected", 30, nil), ("failed", 5, "warning: a fix still waits for its output"),
      ("discarded", 300, "notice: a fix still waits: the broker has no subscriber for it"),
    ] as [(String, Int, String?)])
  func `a fix waits for a new subscriber, for 5 s after a failure, and for 5 min if the broker discarded it`(
    cause: String, seconds: Int, told: String?
  ) throws {
    var outbox = outbox()
    let fix = try add(to: &outbox)
    if cause != "failed" { outbox.notePublished(fix, isLate: false) }
    let lines = record.lines { outputs in
      switch cause {
      case "failed": outbox.postpone(fix, cause: "x", at: at(.zero), &outputs)
      case "discarded":
        // The owner reads of it once.
        for _ in 0..<2 { outbox.noteDiscarded(on: bridge, of: a, at: at(.zero), &outputs) }
      default:
        outbox.disconnect(bridge, at: at(.zero))
        #expect(outbox.sinks[0].inFlight == nil && !outbox.sinks[0].isConnected && outbox.due.isEmpty)
        connect(&outbox, bridge, for: .seconds(30))
      }
    }
    #expect(lines == (told.map { ["log \($0)"] } ?? []))
    #expect(outbox.nextDeadline == at(.seconds(seconds)))
    #expect(pass(&outbox, to: .seconds(seconds) - .nanoseconds(1)) == [] && outbox.due.isEmpty)
    var early = outbox
    early.noteSubscriber(of: bridge)
    #expect(early.due.isEmpty == (cause == "failed"), "a subscriber ends the wait for one")
    #expect(pass(&outbox, to: .seconds(seconds)) == [] && outbox.due.map(\.fix.number) == [fix.number])
  }

  // MARK: Failures

  @Test(arguments: [(true, "lost"), (false, "erased")])
  func `a fix that may not be published any more is settled, and the next one follows`(isAllowed: Bool, outcome: String)
    throws
  {
    var outbox = outbox()
    let (first, second) = (try add(to: &outbox), try add(to: &outbox))
    #expect(
      settlements { _ in outbox.remove(first, isAllowed: isAllowed) } == ["settle \(first.number) \(outcome)"])
    #expect(outbox.due.map(\.fix.number) == [second.number])
  }

  @Test func `a fix that its output refuses is settled as refused, and the owner still reads why`() throws {
    var outbox = outbox()
    let (first, second) = (try add(to: &outbox), try add(to: &outbox))
    outbox.notePublished(first, isLate: false)
    outbox.noteFault(.rejected, detail: "400 unknown device", of: bridge)
    #expect(
      settlements { outbox.settle(first.number, .refused, &$0) }
        == ["recall 1", "log info: an output refused a fix", "settle \(first.number) refused"])
    #expect(outbox.sinks[0].fault == .rejected && outbox.sinks[0].detail == "400 unknown device")
    // The next fix waits until the output is ready, and its delivery ends the fault.
    #expect(outbox.due.isEmpty)
    outbox.noteReady(bridge)
    #expect(outbox.due.map(\.fix.number) == [second.number])
    outbox.notePublished(second, isLate: false)
    _ = settlements { outbox.settle(second.number, .acknowledged, &$0) }
    #expect(outbox.sinks[0].fault == nil && outbox.sinks[0].detail == nil)
    #expect(settlements { outbox.settle(first.number, .refused, &$0) } == [])
  }

  // MARK: The ends

  @Test(arguments: ["waiting", "failing", "in flight", "disconnected", "discarded"])
  func `a withdrawn fix is recalled, and erased in the log only if its output was never given the fix`(
    state: String
  ) throws {
    var outbox = outbox()
    let (fix, other) = (try add(to: &outbox), try add(b, to: &outbox))
    let isErased = ["waiting", "failing"].contains(state)
    if !isErased { outbox.notePublished(fix, isLate: false) }
    _ = record.lines { outputs in
      switch state {
      case "failing": outbox.postpone(fix, cause: "x", at: at(.zero), &outputs)
      case "disconnected": outbox.disconnect(bridge, at: at(.zero))
      case "discarded": outbox.noteDiscarded(on: bridge, of: a, at: at(.zero), &outputs)
      default: break
      }
    }
    let end = "settle \(fix.number) \(isErased ? "erased" : "lost")"
    #expect(settlements { _ in outbox.withdraw(a) } == (state == "in flight" ? ["recall 1", end] : [end]))
    #expect(settlements { _ in outbox.withdraw(nil) } == ["settle \(other.number) erased"])
    #expect(settlements { _ in outbox.withdraw(nil) } == [])
  }

  @Test func `a fix that expires is counted, settled, and recalled from its bridge`() throws {
    var outbox = outbox()
    let fix = try add(to: &outbox, life: .seconds(10))
    outbox.notePublished(fix, isLate: false)
    #expect(outbox.nextDeadline == at(.seconds(10)))
    #expect(pass(&outbox, to: .seconds(10) - .nanoseconds(1)) == [])
    #expect(
      pass(&outbox, to: .seconds(10))
        == ["recall 1", "count expiredPublications a", "settle \(fix.number) expired"])
  }

  @Test(arguments: [(true, true), (false, false), (true, false)])
  func `a fix of an earlier run, which may have arrived, is lost if its right has gone meanwhile`(
    isLocked: Bool, isAllowed: Bool
  ) throws {
    let fix = try fix()
    var outbox = Outbox([fix], at: clock())
    #expect(pass(&outbox, to: .zero) == [])
    #expect(pass(&outbox, to: .zero, isLocked: isLocked, isAllowed: isAllowed) == ["settle \(fix.number) lost"])
  }

  @Test func `a fix of an earlier run expires no later than a new one would, whatever the clock did`() throws {
    let fix = try fix(life: .seconds(86_400))
    var outbox = Outbox([fix], at: clock())
    #expect(outbox.nextDeadline == at(.seconds(86_400)))
    outbox.open(bridge, at: at(.zero))
    #expect(outbox.nextDeadline == at(.seconds(3600)))
  }

  @Test func `no request is accepted while as many fixes wait as the bridge may have`() throws {
    var outbox = outbox()
    for _ in 0..<3 {
      #expect(outbox.refusal(for: bridge) == nil)
      _ = try add(to: &outbox)
    }
    #expect(outbox.refusal(for: bridge)?.code == .tooMany)
    #expect(outbox.refusal(for: other) == nil && outbox.refusal(for: RecordingConnection(3)) == nil)
  }

  @Test func `owners see what a broker did not deliver and what was ignored`() {
    var outbox = outbox()
    outbox.noteUndelivered(["home"], of: bridge)
    for _ in 0..<2 { outbox.countIgnored("retained", of: bridge) }
    #expect(outbox.sinks[0].undelivered == ["home"] && outbox.sinks[0].ignored == ["retained": 2])
  }

  @Test func `owners see the fixes whose output is no longer configured`() throws {
    var outbox = Outbox(
      [try fix(a, "file:///old.gpx a gpx"), try fix(a, "one"), try fix(b, "file:///old.gpx b gpx")], at: clock())
    outbox.open(bridge, at: at(.zero))
    let absent = outbox.absentOutputs
    #expect(absent.map(\.address) == ["file:///old.gpx"] && absent.map(\.count) == [2])
    outbox.close(bridge)
    #expect(outbox.absentOutputs.map(\.address) == ["file:///old.gpx", "one"])
  }

  // MARK: Any sequence

  @Test(arguments: 1...25 as ClosedRange<UInt64>)
  func `after any sequence each fix waits until it is settled exactly once, and one of a bridge is in flight`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var outbox = Outbox(at: clock())
    let bridges = [bridge, other]
    for bridge in bridges { outbox.open(bridge, at: at(.zero)) }
    var now = Duration.zero
    var waiting: Set<Int64> = []
    var settled: Set<Int64> = []
    /// The fix that each bridge's broker has, and has not acknowledged.
    var sent: [String: Int64] = [:]
    var given: Set<Int64> = []

    func note(_ settlements: [Outbox.Settlement]) {
      for (fix, outcome) in settlements {
        #expect(outcome != .erased || !given.contains(fix.number), "fix \(fix.number) may have arrived")
        #expect(settled.insert(fix.number).inserted, "fix \(fix.number) was settled twice")
        #expect(waiting.remove(fix.number) != nil)
      }
    }

    for _ in 0..<120 {
      now += .milliseconds(Int.random(in: 0...20_000, using: &random))
      let bridge = bridges[Int.random(in: 0...1, using: &random)]
      let name = try #require(bridge.sink).form.name
      var settlements: [Outbox.Settlement] = []
      let calls = try record.lines { outputs in
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
          let life = now + .seconds(Int.random(in: 1...400, using: &random))
          waiting.insert(try add([a, b].randomElement(using: &random) ?? a, name, to: &outbox, life: life).number)
        case 3: settlements = outbox.withdraw([a, b, nil].randomElement(using: &random) ?? nil)
        case 4:
          connect(&outbox, bridge, for: Bool.random(using: &random) ? .seconds(30) : nil, at: now)
          sent[name] = nil
        case 5:
          outbox.disconnect(bridge, at: at(now))
          sent[name] = nil
        case 6: outbox.noteSubscriber(of: bridge)
        case 7:
          outbox.noteDiscarded(on: bridge, of: a, at: at(now), &outputs)
          sent[name] = nil
        case 8, 9:
          guard let number = sent.removeValue(forKey: name) else { return }
          settlements = outbox.settle(number, .acknowledged, &outputs)
          // The broker is ready after its acknowledgement.
          outbox.noteReady(bridge)
        default: settlements = outbox.pass(to: at(now), isLocked: false, &outputs) { _, _ in true }
        }
      }
      note(settlements)
      for (bridge, call) in [(bridges[0], "recall 1"), (bridges[1], "recall 2")] where calls.contains(call) {
        // The bridge closes its connection to the broker.
        #expect(sent.removeValue(forKey: try #require(bridge.sink).form.name) != nil)
        outbox.disconnect(bridge, at: at(now))
      }
      for publication in outbox.due {
        let (fix, number) = (publication.fix, publication.fix.number)
        #expect(waiting.contains(number), "fix \(number) was published after it was settled")
        #expect(sent[fix.sink] == nil, "two fixes of \(fix.sink) are in flight")
        var outputs = Outputs()
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          outbox.notePublished(fix, isLate: false)
          sent[fix.sink] = number
          given.insert(number)
        case 2: note(outbox.remove(fix, isAllowed: true))
        case 3: outbox.postpone(fix, cause: "full", at: at(now), &outputs)
        default: break
        }
      }
      #expect(outbox.count(of: "one") + outbox.count(of: "two") == waiting.count)
      for bridge in outbox.sinks { #expect(bridge.inFlight == sent[bridge.form.name]) }
    }
    var outputs = Outputs()
    note(outbox.pass(to: at(now + .seconds(1000)), isLocked: false, &outputs) { _, _ in true })
    #expect(waiting.isEmpty)
  }
}
