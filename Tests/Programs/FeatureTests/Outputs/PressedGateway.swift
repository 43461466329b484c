import Authorization
import Base
import Disclosure
import LineProtocol
import Ports
import RecordingClients
import StateStore
import Synchronization

@testable import Features
@testable import Gateway

/// The time of a test, which passes only when the test says so.
final class PassingTime: Sendable {
  private let state = Mutex(MonotonicInstant(nanoseconds: 1_000_000_000_000))
  /// The length of each pause of the output, when the pause begins.
  let pauses: AsyncStream<Duration>
  private let pause: AsyncStream<Duration>.Continuation
  private let (steps, step) = AsyncStream.makeStream(of: Void.self)

  init() { (pauses, pause) = AsyncStream.makeStream() }

  var now: MonotonicInstant { state.withLock(\.self) }

  var clock: OutputClock {
    OutputClock(
      now: { self.now },
      sleep: { end in
        self.pause.yield(end - self.now)
        for await _ in self.steps where self.now >= end { return }
        throw CancellationError()
      })
  }

  func pass(_ duration: Duration) {
    state.withLock { $0 = $0 + duration }
    step.yield()
  }
}

/// The outbox of the gateway, with the fixes of presses, at the time of a test.
actor PressedGateway: OutputService {
  nonisolated let name = "boat"
  nonisolated let keyring = Keyring()
  nonisolated let time: PassingTime
  private let fixes: OutboxFixes
  private var outbox: Outbox
  private var kept: [OutboxEntry]
  /// The end of each fix, as in `1 acknowledged`.
  private(set) var ends: [String] = []
  /// The number of fixes that the output was given, and the number of calls of `ready`.
  private(set) var given = 0
  private(set) var readied = 0
  /// The reports of the output, oldest first: true for a connection, false for its end.
  private(set) var connections: [Bool] = []
  nonisolated let changes: AsyncStream<[String]>
  private nonisolated let change: AsyncStream<[String]>.Continuation

  init(at time: PassingTime, with kept: [OutboxEntry] = []) throws {
    self.time = time
    fixes = try OutboxFixes(at: Self.reading(time))
    outbox = Outbox(kept, at: Self.reading(time))
    self.kept = kept
    (changes, change) = AsyncStream.makeStream()
  }

  /// The clocks of a machine that was started in 1970.
  private static func reading(_ time: PassingTime) -> ClockReading {
    ClockReading(monotonic: time.now, utc: UTCTime(nanosecondsSince1970: time.now.nanoseconds))
  }

  private var now: ClockReading { Self.reading(time) }

  // MARK: The test

  /// Adds the fix of a press, which waits for the output for 24 hours.
  func press() throws {
    let life = Duration.seconds(86_400)
    let expires = UTCTime(nanosecondsSince1970: (time.now + life).nanoseconds)
    let fix = try fixes.add(.family, sink: OutputForm.test.name, expires: expires, at: now)
    kept.append(fix)
    outbox.add(fix, SessionID(1), expires: time.now + life, indicationEnd: time.now + .seconds(2))
    publish()
  }

  /// Lets the gateway end the fixes that waited for too long.
  func passTime() {
    note { outbox.pass(to: time.now, isLocked: false, &$0) { _, _ in true } }
    publish()
  }

  /// Withdraws the fix that the output has, before or after the output delivers it.
  func withdraw() { note { _ in outbox.withdraw(nil) } }

  /// The fixes that a new run of the daemon finds on the disk.
  var waiting: [OutboxEntry] { kept }

  private func note(_ body: (inout Outputs) -> [Outbox.Settlement]) {
    var outputs = Outputs()
    for (fix, outcome) in body(&outputs) {
      ends.append("\(fix.number) \(outcome)")
      kept.removeAll { $0.number == fix.number }
    }
    change.yield(ends)
  }

  private func publish() {
    for due in outbox.due {
      outbox.notePublished(due.fix, isLate: false)
      given += 1
      let message = Publication.Message(topic: "", payload: Array("\(due.fix.number)".utf8))
      due.sink.publish(
        Publication(number: due.fix.number, messages: [message], life: .seconds(1)), until: time.now + .seconds(2))
    }
  }

  // MARK: The output

  nonisolated func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields { [:] }

  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) -> Bool {
    outbox.open(connection, at: time.now)
    return true
  }

  func connected(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?
  ) {
    connections.append(true)
    outbox.connect(connection, with: version, awaitingSubscriberFor: timeout, at: time.now)
    publish()
  }

  func ready(_ connection: any ClientConnection) {
    readied += 1
    outbox.noteReady(connection)
    publish()
    change.yield(ends)
  }

  func acknowledged(_ publication: Int64, on connection: any ClientConnection) {
    note { outbox.settle(publication, .acknowledged, &$0) }
  }

  func refused(_ publication: Int64, on connection: any ClientConnection) {
    note { outbox.settle(publication, .refused, &$0) }
  }

  func disconnected(_ connection: any ClientConnection) {
    connections.append(false)
    outbox.disconnect(connection, at: time.now)
  }

  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) {}
  func polled(on connection: any ClientConnection) {}
  func closed(_ connection: any ClientConnection, isFinal: Bool) {}
  func failed(_ fault: OutputFault, detail: String?, on connection: any ClientConnection) {}
  func subscriberAppeared(on connection: any ClientConnection) {}
  func discarded(_ publication: Int64, on connection: any ClientConnection) {}
  func undelivered(_ topics: [String], on connection: any ClientConnection) {}
  func ignored(_ reason: String, count: Int, on connection: any ClientConnection) {}
}

extension AppID {
  static let family = AppID("family")!
}

extension OutputForm {
  static let test = OutputForm("https://m.example.org", of: .family, as: "json") { _ in [] }
}
