import Authorization
import Base
import ControlledBoard
import LineProtocol
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Synchronization
import Testing

@testable import Gateway

/// A client of gpsd that gets its fix only when it polls. It waits for a press.
private final class Poller: Sendable {
  private final class Calls: Sendable {
    let all = Mutex<[RecordingConnection.Call]>([])
  }

  let connection: RecordingConnection
  private let bench: Bench
  private let calls = Calls()

  init(_ bench: Bench) async throws {
    self.bench = bench
    connection = RecordingConnection(7, transport: .gpsd, isPolled: true) { [calls] call in
      calls.all.withLock { $0.append(call) }
    }
    // No poll waits for its answer.
    connection.isFull = true
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.subscribe(try TopicFilter("fix/once"), sid: "s", qos: 0), tag: nil, on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: connection)
  }

  /// Polls, and returns the fixes that the client has received so far.
  func poll() async -> [String] {
    connection.isFull = false
    await bench.gateway.polled(on: connection)
    connection.isFull = true
    return fixes
  }

  var fixes: [String] {
    calls.all.withLock { $0.compactMap { if case .once(let message, _) = $0 { message.json } else { nil } } }
  }

  /// The errors that ended the request of the client.
  var errors: [ErrorCode] {
    calls.all.withLock {
      $0.compactMap { if case .line(.error(let error, "@r"?, _)) = $0 { error.code } else { nil } }
    }
  }
}

extension Bench {
  /// Runs the body of a test with a client that polls, after a press for it at 07:31:01.
  fileprivate static func withPoller(_ body: (Bench, Poller) async throws -> Void) async throws {
    try await Bench(confirmed()).run { bench in
      let poller = try await Poller(bench)
      await bench.pressInTime()
      try await body(bench, poller)
    }
  }

  /// Sends the epochs of some seconds. The receiver moves to the north by a thousandth of a minute each second.
  fileprivate func receive(seconds: ClosedRange<Int>) async {
    for second in seconds {
      let time = second < 10 ? "0\(second)" : "\(second)"
      await receive(nmea("GNGGA,0731\(time).00,4722.6\(time),N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    }
  }
}

@Test(.patient)
func `a client that polls receives the fix of the press once, while the indicator is on`() async throws {
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...9)
    #expect(poller.fixes.isEmpty && poller.errors.isEmpty)
    #expect(await bench.disclosureCount == 1, "the entry is in the log before the fix is sent")
    #expect(await bench.outcomes == [])
    #expect(await bench.gateway.grantCount == 0, "the fix delays no press")
    #expect(!bench.indicator.isLit)
    let fixes = await poller.poll()
    #expect(bench.indicator.isLit)
    let latitude = try #require(fixes.last.flatMap { JSONValue($0.utf8)?["lat"]?.number })
    #expect(fixes.count == 1 && abs(latitude - (47 + 22.601 / 60)) < 2e-5, "it is the fix of the press")
    #expect(await bench.outcomes == [.sent])
    #expect(await poller.poll().count == 1)
    #expect(await bench.disclosureCount == 1 && poller.errors.isEmpty)
  }
}

@Test(.patient)
func `a poll that waits when the receiver has its fix is answered at once`() async throws {
  try await Bench.withPoller { bench, poller in
    #expect(await poller.poll().isEmpty)
    poller.connection.isFull = false
    await bench.receive(seconds: 1...1)
    #expect(poller.fixes.count == 1)
    #expect(await bench.outcomes == [.sent])
  }
}

@Test(.patient)
func `a fix that its client does not fetch in 10 s expires, and the client can wait again`() async throws {
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...11)
    #expect(await poller.poll().isEmpty)
    #expect(await bench.outcomes == [.expired])
    #expect(poller.errors == [.expired])
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: poller.connection)
    #expect(await bench.gateway.waitingCount == 1)
  }
}

@Test(.patient)
func `a client that polls gets no fix of an epoch later than 2 s after the press`() async throws {
  try await Bench.withPoller { bench, poller in
    await bench.clock.pass(.seconds(2))
    #expect(poller.errors.count == 1)
    await bench.receive(seconds: 4...5)
    #expect(await poller.poll().isEmpty)
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient, arguments: ["deny", "accuracy", "lock", "cancel", "end"])
func `the fix of a client that polls is erased with its right, its request and its session`(change: String)
  async throws
{
  try await Bench.withPoller { bench, poller in
    await bench.receive(seconds: 1...2)
    switch change {
    case "deny": await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    case "accuracy": await bench.gateway.handle(.ordered(.setAccuracy(parks, .reduced)))
    case "lock": await bench.gateway.handle(.lockOrdered)
    case "cancel": await bench.gateway.perform(.cancel, tag: nil, on: poller.connection)
    default: await bench.gateway.closed(poller.connection, isFinal: true)
    }
    #expect(await bench.outcomes == [.erased])
    #expect(poller.errors == (change == "end" ? [] : [.expired]), "the request lasts until the client has its fix")
    #expect(await poller.poll().isEmpty)
    await bench.receive(seconds: 3...3)
    #expect(poller.fixes.isEmpty)
  }
}
