import Authorization
import Clocks
import Disclosure
import LineProtocol
import Ports
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Gateway

@Suite struct BrokerOutboxTests {
  private let fixes: OutboxFixes
  private let bridge = RecordingConnection(1, transport: .mqtt, broker: RecordingBroker(PlainForm("one")))
  private let other = RecordingConnection(2, transport: .mqtt, broker: RecordingBroker(PlainForm("two")))

  init() throws { fixes = try OutboxFixes(at: clock()) }

  private func fix(
    _ app: AppID = a, _ bridge: String = "one", life: Duration = .seconds(600)
  ) throws -> OutboxEntry {
    try fixes.add(app, bridge: bridge, expires: clock(life).utc, at: clock())
  }

  private func add(_ fix: OutboxEntry, life: Duration = .seconds(600)) -> BrokerOutbox.Input {
    .add(fix, SessionID(1), expires: at(life), indicationEnd: at(.seconds(2)))
  }

  private func published(_ fix: OutboxEntry) -> BrokerOutbox.Input {
    .attempted(fix.number, .success(.published(fix, isLate: false)), isAllowed: true)
  }

  private func passing(isLocked: Bool = false, isAllowed: Bool = true) -> BrokerOutbox.Input {
    .timePassed(isLocked: isLocked) { _, _ in isAllowed }
  }

  /// An outbox with a bridge whose broker is connected.
  private func outbox() -> BrokerOutbox {
    var outbox = BrokerOutbox(at: clock())
    _ = outbox.handle(.opened(bridge), at: at(.zero))
    _ = outbox.handle(.connected(bridge, .five, subscriberTimeout: nil), at: at(.zero))
    return outbox
  }

  // MARK: From the outbox to the broker

  @Test func `a fix is published when it is added, and settled when the broker has it`() throws {
    var outbox = outbox()
    let fix = try fix()
    #expect(outbox.handle(add(fix), at: at(.zero)).lines == ["publish \(fix.number)"])
    #expect(outbox.handle(published(fix), at: at(.zero)).lines == [])
    #expect(outbox.bridges[0].inFlight == fix.number)
    #expect(
      outbox.handle(.acknowledged(fix.number), at: at(.seconds(1))).lines
        == ["settle \(fix.number) acknowledged", "log info: a broker acknowledged a fix"])
    #expect(outbox.count(of: "one") == 0 && outbox.nextDeadline == nil)
    #expect(outbox.handle(.acknowledged(fix.number), at: at(.seconds(1))).lines == [])
  }

  @Test func `the fixes of a bridge are published one after the other, oldest first`() throws {
    var outbox = outbox()
    let (first, second) = (try fix(), try fix())
    _ = outbox.handle(add(first), at: at(.zero))
    _ = outbox.handle(published(first), at: at(.zero))
    #expect(outbox.handle(add(second), at: at(.zero)).lines == [])
    #expect(outbox.handle(.acknowledged(first.number), at: at(.seconds(1))).lines.count == 2)
    #expect(outbox.handle(.ready(bridge), at: at(.seconds(1))).lines == ["publish \(second.number)"])
  }

  @Test func `each bridge has its own fixes`() throws {
    var outbox = outbox()
    let fix = try fix(b, "two")
    #expect(outbox.handle(add(fix), at: at(.zero)).lines == [])
    _ = outbox.handle(.opened(other), at: at(.zero))
    #expect(
      outbox.handle(.connected(other, .five, subscriberTimeout: nil), at: at(.zero)).lines == [
        "publish \(fix.number)"
      ])
    #expect(outbox.sortedBridges.map(\.form.name) == ["one", "two"])
    _ = outbox.handle(.closed(other), at: at(.zero))
    #expect(outbox.handle(passing(), at: at(.zero)).lines == [] && outbox.bridges.count == 1)
  }

  @Test func `while its broker is away a fix waits, and is published when it is back`() throws {
    var outbox = outbox()
    let fix = try fix()
    _ = outbox.handle(add(fix), at: at(.zero))
    _ = outbox.handle(published(fix), at: at(.zero))
    #expect(outbox.handle(.disconnected(bridge), at: at(.zero)).lines == [])
    #expect(outbox.bridges[0].inFlight == nil && !outbox.bridges[0].isConnected)
    #expect(outbox.handle(passing(), at: at(.seconds(1))).lines == [])
    #expect(
      outbox.handle(.connected(bridge, .five, subscriberTimeout: nil), at: at(.seconds(2))).lines == [
        "publish \(fix.number)"
      ])
  }

  @Test func `a broker that is back is given time for its subscribers, unless one appears`() throws {
    for appears in [true, false] {
      var outbox = outbox()
      _ = outbox.handle(.disconnected(bridge), at: at(.zero))
      #expect(
        outbox.handle(.connected(bridge, .five, subscriberTimeout: .seconds(30)), at: at(.zero)).lines == [])
      let fix = try fix()
      #expect(outbox.handle(add(fix), at: at(.zero)).lines == [])
      #expect(outbox.nextDeadline == at(.seconds(30)))
      #expect(outbox.handle(passing(), at: at(.seconds(29))).lines == [])
      let input = appears ? BrokerOutbox.Input.subscriberAppeared(bridge) : passing()
      #expect(outbox.handle(input, at: at(.seconds(appears ? 29 : 30))).lines == ["publish \(fix.number)"])
    }
  }

  @Test func `a broker that is new has lost no subscriber, unless an earlier run left a fix`() throws {
    for isLeft in [true, false] {
      let fix = try fix()
      var outbox = BrokerOutbox(isLeft ? [fix] : [], at: clock())
      _ = outbox.handle(.opened(bridge), at: at(.zero))
      _ = outbox.handle(.connected(bridge, .five, subscriberTimeout: .seconds(30)), at: at(.zero))
      #expect(outbox.bridges[0].heldUntil == (isLeft ? at(.seconds(30)) : nil))
    }
  }

  @Test func `a fix that the broker discarded is published again after five minutes, and the owner reads of it once`()
    throws
  {
    var outbox = outbox()
    let fix = try fix()
    _ = outbox.handle(add(fix), at: at(.zero))
    _ = outbox.handle(published(fix), at: at(.zero))
    #expect(
      outbox.handle(.discarded(bridge, a), at: at(.seconds(1))).lines
        == ["log notice: a fix still waits: the broker has no subscriber for it"])
    #expect(outbox.handle(.discarded(bridge, a), at: at(.seconds(1))).lines == [])
    #expect(outbox.handle(passing(), at: at(.seconds(300))).lines == [])
    #expect(outbox.handle(passing(), at: at(.seconds(301))).lines == ["publish \(fix.number)"])
  }

  // MARK: Failures

  @Test(arguments: [DisclosureFailure.indicator("x"), .store("x"), .cloak("x")])
  func `a fix that could not be disclosed is tried again after five seconds`(failure: DisclosureFailure) throws {
    var outbox = outbox()
    let fix = try fix()
    _ = outbox.handle(add(fix), at: at(.zero))
    #expect(
      outbox.handle(.attempted(fix.number, .failure(failure), isAllowed: true), at: at(.zero)).lines
        == ["log warning: a fix still waits for its broker"])
    #expect(outbox.nextDeadline == at(.seconds(5)))
    #expect(outbox.handle(passing(), at: at(.milliseconds(4999))).lines == [])
    #expect(outbox.handle(passing(), at: at(.seconds(5))).lines == ["publish \(fix.number)"])
  }

  @Test func `a fix whose light was not seen yet is tried again when time passes`() throws {
    var outbox = outbox()
    let fix = try fix()
    _ = outbox.handle(add(fix), at: at(.zero))
    #expect(outbox.handle(.attempted(fix.number, .failure(.pending), isAllowed: true), at: at(.zero)).lines == [])
    #expect(outbox.handle(passing(), at: at(.milliseconds(20))).lines == ["publish \(fix.number)"])
  }

  @Test(arguments: [(true, "lost"), (false, "erased")])
  func `a fix that may not be published any more is settled, and the next one follows`(isAllowed: Bool, outcome: String)
    throws
  {
    var outbox = outbox()
    let (first, second) = (try fix(), try fix())
    _ = outbox.handle(add(first), at: at(.zero))
    _ = outbox.handle(add(second), at: at(.zero))
    #expect(
      outbox.handle(.attempted(first.number, .failure(.revoked), isAllowed: isAllowed), at: at(.zero)).lines
        == ["settle \(first.number) \(outcome)", "publish \(second.number)"])
  }

  // MARK: The ends

  @Test func `a withdrawn fix is settled, and recalled from the bridge that is sending it`() throws {
    var outbox = outbox()
    let (mine, others) = (try fix(), try fix(b))
    _ = outbox.handle(add(mine), at: at(.zero))
    _ = outbox.handle(published(mine), at: at(.zero))
    _ = outbox.handle(add(others), at: at(.zero))
    #expect(outbox.handle(.withdraw(a), at: at(.zero)).lines == ["recall 1", "settle \(mine.number) erased"])
    #expect(outbox.handle(.withdraw(nil), at: at(.zero)).lines == ["settle \(others.number) erased"])
    #expect(outbox.handle(.withdraw(nil), at: at(.zero)).lines == [])
  }

  @Test func `a fix that expires is counted, settled, and recalled from its bridge`() throws {
    var outbox = outbox()
    let fix = try fix()
    _ = outbox.handle(add(fix, life: .seconds(10)), at: at(.zero))
    _ = outbox.handle(published(fix), at: at(.zero))
    #expect(outbox.nextDeadline == at(.seconds(10)))
    #expect(
      outbox.handle(passing(), at: at(.seconds(10))).lines
        == ["count expiredPublication(a)", "recall 1", "settle \(fix.number) expired"])
  }

  @Test(arguments: [(true, true), (false, false), (true, false)])
  func `a fix of an earlier run is erased if its right has gone meanwhile`(isLocked: Bool, isAllowed: Bool) throws {
    let fix = try fix()
    var outbox = BrokerOutbox([fix], at: clock())
    #expect(outbox.handle(passing(), at: at(.zero)).lines == [])
    #expect(
      outbox.handle(passing(isLocked: isLocked, isAllowed: isAllowed), at: at(.zero)).lines == [
        "settle \(fix.number) erased"
      ])
  }

  @Test func `a fix of an earlier run expires no later than a new one would, whatever the clock did`() throws {
    let fix = try fix(life: .seconds(86_400))
    var outbox = BrokerOutbox([fix], at: clock())
    #expect(outbox.nextDeadline == at(.seconds(86_400)))
    _ = outbox.handle(.opened(bridge), at: at(.zero))
    #expect(outbox.nextDeadline == at(.seconds(3600)))
  }

  @Test func `no request is accepted while as many fixes wait as the bridge may have`() throws {
    var outbox = outbox()
    for _ in 0..<3 {
      #expect(outbox.refusal(for: bridge) == nil)
      _ = outbox.handle(add(try fix()), at: at(.zero))
    }
    #expect(outbox.refusal(for: bridge)?.code == .tooMany)
    #expect(outbox.refusal(for: other) == nil && outbox.refusal(for: RecordingConnection(3)) == nil)
  }

  @Test func `owners see what a broker did not deliver and what was ignored`() {
    var outbox = outbox()
    _ = outbox.handle(.undelivered(["home"], bridge), at: at(.zero))
    for _ in 0..<2 { _ = outbox.handle(.ignored("retained", bridge), at: at(.zero)) }
    #expect(outbox.bridges[0].undelivered == ["home"] && outbox.bridges[0].ignored == ["retained": 2])
  }

  // MARK: Any sequence

  @Test(arguments: 1...25 as ClosedRange<UInt64>)
  func `after any sequence each fix waits until it is settled exactly once, and one of a bridge is in flight`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var outbox = BrokerOutbox(at: clock())
    let bridges = [bridge, other]
    for bridge in bridges { _ = outbox.handle(.opened(bridge), at: at(.zero)) }
    var now = Duration.zero
    var waiting: [Int64: OutboxEntry] = [:]
    var settled: Set<Int64> = []
    /// The fix that each bridge's broker has, and has not acknowledged.
    var sent: [String: Int64] = [:]

    for _ in 0..<120 {
      now += .milliseconds(Int.random(in: 0...20_000, using: &random))
      let bridge = bridges[Int.random(in: 0...1, using: &random)]
      let name = try #require(bridge.broker).form.name
      let input: BrokerOutbox.Input
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2:
        let fix = try fix([a, b][Int.random(in: 0...1, using: &random)], name)
        waiting[fix.number] = fix
        input = add(fix, life: now + .seconds(Int.random(in: 1...400, using: &random)))
      case 3: input = .withdraw([a, b, nil][Int.random(in: 0...20, using: &random) % 3])
      case 4:
        input = .connected(bridge, .five, subscriberTimeout: Bool.random(using: &random) ? .seconds(30) : nil)
      case 5: input = .disconnected(bridge)
      case 6: input = .subscriberAppeared(bridge)
      case 7: input = .discarded(bridge, a)
      case 8, 9:
        guard let number = sent[name] else { continue }
        input = .acknowledged(number)
      default: input = passing()
      }
      switch input {
      case .connected, .disconnected, .discarded: sent[name] = nil
      default: break
      }
      var actions = outbox.handle(input, at: at(now))
      if case .acknowledged = input {
        // The broker is ready after its acknowledgement.
        sent[name] = nil
        actions += outbox.handle(.ready(bridge), at: at(now))
      }
      while !actions.isEmpty {
        switch actions.removeFirst() {
        case .settle(let fix, _):
          #expect(settled.insert(fix.number).inserted, "fix \(fix.number) was settled twice")
          #expect(waiting.removeValue(forKey: fix.number) != nil)
        case .publish(let publication):
          let (fix, number) = (publication.fix, publication.fix.number)
          #expect(waiting[number] != nil, "fix \(number) was published after it was settled")
          #expect(sent[fix.bridge] == nil, "two fixes of \(fix.bridge) are in flight")
          let results: [Result<DisclosureReceipt, DisclosureFailure>] = [
            .success(.published(fix, isLate: false)), .success(.published(fix, isLate: false)), .failure(.pending),
            .failure(.revoked), .failure(.store("full")),
          ]
          let result = results[Int.random(in: 0..<5, using: &random)]
          if case .success = result { sent[fix.bridge] = number }
          actions = outbox.handle(.attempted(number, result, isAllowed: true), at: at(now)) + actions
        case .recall(let connection, _):
          // The bridge closes its connection to the broker.
          let name = try #require(connection.broker).form.name
          #expect(sent[name] != nil)
          sent[name] = nil
          actions += outbox.handle(.disconnected(connection), at: at(now))
        case .log, .count: break
        default: Issue.record("an outbox does nothing else")
        }
      }
      #expect(outbox.count(of: "one") + outbox.count(of: "two") == waiting.count)
      for bridge in outbox.bridges { #expect(bridge.inFlight == sent[bridge.form.name]) }
    }
    for case .settle(let fix, _) in outbox.handle(passing(), at: at(now + .seconds(1000))) {
      #expect(settled.insert(fix.number).inserted)
      waiting[fix.number] = nil
    }
    #expect(waiting.isEmpty)
  }
}
