import Clocks
import LineProtocol
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure
@testable import Gateway

extension Delivery {
  /// A fix that was sent at a time, and expires after a while. If its client polls, it was chosen at that time.
  init(
    _ session: UInt64, message: Int, _ app: AppID = a, sent: Duration, life: Duration = .seconds(60),
    isPolled: Bool = false
  ) {
    let grant = Grant(
      request: RequestID(UInt64(message)), session: SessionID(session), app: app, right: .always, press: nil,
      notBefore: at(sent), expires: at(sent + life), isPolled: isPolled)
    let once = OnceDisclosure(
      grant: grant, options: OnceRequest(), tag: nil, received: at(sent), connection: RecordingConnection(), sid: "-",
      qos: 1, messageID: message)
    self.init(once, .full, entry: Int64(100 + message), json: "{}", sent: at(sent))
  }
}

@Suite struct DeliveryQueueTests {
  private func queue(_ deliveries: Delivery...) -> DeliveryQueue {
    var queue = DeliveryQueue()
    for delivery in deliveries { #expect(queue.handle(.add(delivery), at: at(.zero)).lines == []) }
    return queue
  }

  @Test func `a fix is sent again after 5, 10 and 20 seconds, and expires`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero))
    for seconds in [5, 10, 20] {
      #expect(queue.nextDeadline == at(.seconds(seconds)))
      #expect(queue.handle(.timePassed, at: at(.seconds(seconds)) - .nanoseconds(1)).lines == [])
      #expect(queue.handle(.timePassed, at: at(.seconds(seconds))).lines == ["redeliver 1"])
    }
    #expect(queue.nextDeadline == at(.seconds(60)))
    #expect(queue.handle(.timePassed, at: at(.seconds(60))).lines == ["close 101 expired"])
    #expect(queue.nextDeadline == nil)
  }

  @Test func `an acknowledged fix is closed once, and not sent again`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero))
    #expect(queue.contains(SessionID(1), messageID: 1))
    #expect(
      queue.handle(.acknowledge(SessionID(1), messageID: 1), at: at(.seconds(1))).lines == ["close 101 acknowledged"])
    #expect(queue.handle(.acknowledge(SessionID(1), messageID: 1), at: at(.seconds(1))).lines == [])
    #expect(queue.handle(.timePassed, at: at(.seconds(100))).lines == [])
  }

  @Test func `a client can acknowledge only its own fixes`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero))
    #expect(queue.handle(.acknowledge(SessionID(2), messageID: 1), at: at(.zero)).lines == [])
    #expect(queue.handle(.acknowledge(SessionID(1), messageID: 2), at: at(.zero)).lines == [])
    #expect(queue.contains(SessionID(1), messageID: 1))
  }

  @Test func `the fixes of a client that is back are sent again, marked, and their deadlines stay`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero), Delivery(2, message: 2, sent: .zero))
    let actions = queue.handle(.resume(SessionID(1)), at: at(.seconds(1)))
    #expect(actions.lines == ["redeliver 1"])
    for case .redeliver(let delivery) in actions { #expect(delivery.isRedelivered) }
    #expect(queue.nextDeadline == at(.seconds(5)))
  }

  @Test(arguments: [
    (DeliveryQueue.Range.session(SessionID(1)), ["close 101 erased"], 2),
    (.app(a), ["close 101 erased, 102 erased"], 1), (.app(b), ["close 103 erased"], 2),
    (.all, ["close 101 erased, 102 erased, 103 erased"], 0),
  ])
  func `erased fixes are closed in one transaction, and others stay`(
    range: DeliveryQueue.Range, lines: [String], left: Int
  ) {
    var queue = queue(
      Delivery(1, message: 1, sent: .zero), Delivery(2, message: 2, sent: .zero),
      Delivery(3, message: 3, b, sent: .zero))
    #expect(queue.handle(.erase(range), at: at(.zero)).lines == lines)
    #expect([1, 2, 3].count { queue.contains(SessionID(UInt64($0)), messageID: $0) } == left)
    #expect(queue.handle(.erase(range), at: at(.zero)).lines == [])
  }

  @Test func `the fix of a client that polls is kept for 10 s, and then its request ends`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero, isPolled: true))
    #expect(queue.kept.map(\.messageID) == [1])
    #expect(queue.nextDeadline == at(.seconds(10)))
    #expect(queue.handle(.timePassed, at: at(.seconds(10)) - .nanoseconds(1)).lines == [])
    #expect(queue.handle(.timePassed, at: at(.seconds(10))).lines == ["close 101 expired", "end request 1 expired"])
    #expect(queue.kept.isEmpty && queue.nextDeadline == nil)
  }

  @Test func `the fix of a client that polls is closed when it was sent`() throws {
    var queue = queue(Delivery(1, message: 1, sent: .zero, isPolled: true), Delivery(1, message: 2, sent: .zero))
    let kept = try #require(queue.kept.first)
    #expect(queue.handle(.fetched(kept), at: at(.seconds(1))).lines == ["close 101 sent"])
    #expect(queue.kept.isEmpty && queue.contains(SessionID(1), messageID: 2))
  }

  @Test(arguments: [DeliveryQueue.Range.session(SessionID(1)), .kept(SessionID(1)), .app(a), .all])
  func `an erased fix of a client that polls ends its request`(range: DeliveryQueue.Range) {
    var queue = queue(
      Delivery(1, message: 1, sent: .zero, isPolled: true), Delivery(1, message: 2, sent: .zero),
      Delivery(2, message: 3, b, sent: .zero, isPolled: true))
    let lines = queue.handle(.erase(range), at: at(.seconds(1))).lines
    #expect(lines[0].hasPrefix("close 101 erased"))
    #expect(lines.dropFirst().first == "end request 1 expired")
    #expect(queue.contains(SessionID(1), messageID: 2) == (range == .kept(SessionID(1))))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `after any sequence each fix is closed exactly once, and never sent after that`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = DeliveryQueue()
    var now = Duration.zero
    var waiting: [Int: (session: UInt64, app: AppID)] = [:]
    var closed: Set<Int64> = []
    var number = 0

    for _ in 0..<200 {
      now += .milliseconds(Int.random(in: 0...4000, using: &random))
      let input: DeliveryQueue.Input
      let session = UInt64.random(in: 1...4, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        number += 1
        let app = session.isMultiple(of: 2) ? a : b
        waiting[number] = (session, app)
        input = .add(
          Delivery(session, message: number, app, sent: now, life: .seconds(Int.random(in: 1...60, using: &random))))
      case 3: input = .acknowledge(SessionID(session), messageID: Int.random(in: 1...max(1, number), using: &random))
      case 4: input = .resume(SessionID(session))
      case 5:
        let ranges: [DeliveryQueue.Range] = [
          .session(SessionID(session)), .app(session.isMultiple(of: 2) ? a : b), .all,
        ]
        input = .erase(ranges[Int.random(in: 0..<12, using: &random) % 5 % 3])
      default: input = .timePassed
      }
      for action in queue.handle(input, at: at(now)) {
        switch action {
        case .close(let events):
          for event in events {
            guard case .outcome(_, let entry) = event else { continue }
            #expect(closed.insert(entry).inserted, "entry \(entry) was closed twice")
            #expect(waiting.removeValue(forKey: Int(entry) - 100) != nil)
          }
        case .redeliver(let delivery):
          #expect(!closed.contains(delivery.entry))
          #expect(delivery.expires > at(now) || { if case .resume = input { true } else { false } }())
        default: Issue.record("\(action)")
        }
      }
      for (message, owner) in waiting { #expect(queue.contains(SessionID(owner.session), messageID: message)) }
      #expect((queue.nextDeadline == nil) == waiting.isEmpty)
      if case .erase(.all) = input { #expect(waiting.isEmpty) }
    }
    _ = queue.handle(.timePassed, at: at(now + .seconds(100)))
    #expect(queue.nextDeadline == nil)
  }
}
