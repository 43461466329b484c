import Base
import LineProtocol
import RecordingClients
import SeededNumbers
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
      qos: 1, messageID: message, isClockSet: true)
    self.init(once, .full, entry: Int64(100 + message), json: "{}", sent: at(sent))
  }
}

@Suite struct DeliveryQueueTests {
  private func queue(_ deliveries: Delivery...) -> DeliveryQueue {
    var queue = DeliveryQueue()
    for delivery in deliveries { queue.add(delivery) }
    return queue
  }

  /// Lets time pass, and returns the numbers of the expired messages, and of the messages that are due.
  private func pass(_ queue: inout DeliveryQueue, to now: MonotonicInstant) -> [[Int]] {
    let passed = queue.pass(to: now)
    return [passed.expired.map(\.messageID), passed.due.map(\.messageID)]
  }

  @Test func `a fix is sent again after 5, 10 and 20 seconds, and expires`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero))
    for seconds in [5, 10, 20] {
      #expect(queue.nextDeadline == at(.seconds(seconds)))
      #expect(pass(&queue, to: at(.seconds(seconds)) - .nanoseconds(1)) == [[], []])
      #expect(pass(&queue, to: at(.seconds(seconds))) == [[], [1]])
    }
    #expect(queue.nextDeadline == at(.seconds(60)))
    #expect(pass(&queue, to: at(.seconds(60))) == [[1], []])
    #expect(queue.nextDeadline == nil)
  }

  @Test func `an acknowledged fix is not sent again`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero))
    #expect(queue.acknowledge(SessionID(1), messageID: 1)?.entry == 101)
    #expect(queue.acknowledge(SessionID(1), messageID: 1) == nil)
    #expect(pass(&queue, to: at(.seconds(100))) == [[], []])
  }

  @Test func `the fixes of a client that is back are sent again, marked, and their deadlines stay`() {
    var queue = queue(Delivery(1, message: 1, sent: .zero), Delivery(2, message: 2, sent: .zero))
    let resumed = queue.resume(SessionID(1))
    #expect(resumed.map(\.messageID) == [1] && resumed.allSatisfy(\.isRedelivered))
    #expect(queue.nextDeadline == at(.seconds(5)))
  }

  @Test(arguments: [
    (DeliveryQueue.Range.session(SessionID(1)), [1]), (.kept(SessionID(1)), []), (.app(a), [1, 2]), (.app(b), [3, 4]),
    (.kept(SessionID(4)), [4]), (.all, [1, 2, 3, 4]),
  ])
  func `fixes can be erased by session, by app, or all of them`(range: DeliveryQueue.Range, erased: [Int]) {
    var queue = queue(
      Delivery(1, message: 1, sent: .zero), Delivery(2, message: 2, sent: .zero),
      Delivery(3, message: 3, b, sent: .zero), Delivery(4, message: 4, b, sent: .zero, isPolled: true))
    #expect(queue.erase(range).map(\.messageID) == erased)
    #expect((1...4).filter { !queue.contains(SessionID(UInt64($0)), messageID: $0) } == erased)
    #expect(queue.erase(range).isEmpty)
  }

  @Test func `the fix of a client that polls is kept for 10 s, or until it was sent`() throws {
    var queue = queue(Delivery(1, message: 1, sent: .zero, isPolled: true), Delivery(1, message: 2, sent: .seconds(9)))
    #expect(queue.kept.map(\.messageID) == [1])
    #expect(queue.nextDeadline == at(.seconds(10)))
    var fetched = queue
    fetched.fetch(try #require(queue.kept.first))
    #expect(fetched.kept.isEmpty && fetched.contains(SessionID(1), messageID: 2))
    #expect(pass(&queue, to: at(.seconds(10)) - .nanoseconds(1)) == [[], []])
    #expect(pass(&queue, to: at(.seconds(10))) == [[1], []])
    #expect(queue.kept.isEmpty)
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
      let session = UInt64.random(in: 1...4, using: &random)
      var (ended, due): ([Delivery], [Delivery]) = ([], [])
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        number += 1
        let app = session.isMultiple(of: 2) ? a : b
        waiting[number] = (session, app)
        queue.add(
          Delivery(session, message: number, app, sent: now, life: .seconds(Int.random(in: 1...60, using: &random))))
      case 3:
        let message = Int.random(in: 1...max(1, number), using: &random)
        let isOwn = waiting[message]?.session == session
        ended = queue.acknowledge(SessionID(session), messageID: message).map { [$0] } ?? []
        #expect(ended.isEmpty == !isOwn, "a client can acknowledge only its own fixes")
      case 4:
        for delivery in queue.resume(SessionID(session)) { #expect(!closed.contains(delivery.entry)) }
      case 5:
        let ranges: [DeliveryQueue.Range] = [
          .session(SessionID(session)), .app(session.isMultiple(of: 2) ? a : b), .all,
        ]
        ended = queue.erase(ranges[Int.random(in: 0..<12, using: &random) % 5 % 3])
      default: (ended, due) = queue.pass(to: at(now))
      }
      for delivery in ended {
        #expect(closed.insert(delivery.entry).inserted, "entry \(delivery.entry) was closed twice")
        #expect(waiting.removeValue(forKey: delivery.messageID) != nil)
      }
      for delivery in due { #expect(!closed.contains(delivery.entry) && delivery.expires > at(now)) }
      for (message, owner) in waiting { #expect(queue.contains(SessionID(owner.session), messageID: message)) }
      #expect((queue.nextDeadline == nil) == waiting.isEmpty)
    }
    #expect(queue.pass(to: at(now + .seconds(100))).expired.count == waiting.count)
    #expect(queue.nextDeadline == nil)
  }
}
