import Authorization
import Base
import ControlledBoard
import Decoding
import Disclosure
import Foundation
import Glibc
import LineProtocol
import OneFixClient
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Synchronization
import Testing

@testable import Gateway

/// Returns the log status that owners receive after an hour of use.
private func condition(after gateway: isolated Gateway) async throws -> ServerLine.Fields {
  try await LogMaintenance.run(verifies: true, on: gateway)
  var fields: ServerLine.Fields = [:]
  gateway.router.disclosures.log.addStatus(to: &fields)
  return fields
}

@Test(.patient)
func `a log that cannot be read is not reported as one that cannot be written`() async throws {
  try await Bench(confirmed()).run { bench in
    let anchor = bench.folder + "/anchor"
    #expect(try await condition(after: bench.gateway) == ["log": "good"])
    try FileManager.default.moveItem(atPath: anchor, toPath: anchor + ".kept")
    try FileManager.default.createDirectory(atPath: anchor, withIntermediateDirectories: false)
    #expect(try await condition(after: bench.gateway) == ["log": "failing", "log-fault": "unreadable"])
    try FileManager.default.removeItem(atPath: anchor)
    try FileManager.default.moveItem(atPath: anchor + ".kept", toPath: anchor)
    #expect(try await condition(after: bench.gateway) == ["log": "good"])
  }
}

@Test(.patient, arguments: [false, true])
func `a receiver confirms the clock for the removal of old entries only if it does not set the clock`(setsClock: Bool)
  async throws
{
  try await Bench(
    confirmed(), port: { SimulatedReceiver(clock: $0.waiting) }, policy: Policy { $0.logRetention = .seconds(5) },
    clocks: setsClock ? [RecordingClock()] : []
  ).run { bench in
    await bench.pass { $0.snapshot(entries: 0).receiver.state == .ready }
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).waiting.count == 1 }
    await bench.pressInTime()
    await bench.clock.pass(.seconds(2))
    _ = try await asking.value
    // An entry without its outcome is not removed.
    await bench.pass { $0.snapshot(entries: 10).log.count >= 2 }
    await bench.clock.pass(.seconds(20))
    await bench.pass { gateway in
      guard gateway.router.receiver.latest != nil else { return false }
      gateway.submit { router, now in router.maintainLog(at: now) }
      return true
    }
    #expect(await bench.log.isEmpty == !setsClock)
  }
}

/// Returns the number of other inputs that the gateway can handle during a command of an owner.
func turns(
  during command: OwnerCommand, _ owner: RecordingConnection, on gateway: isolated Gateway
) async -> Int {
  let counter = Task {
    _ = gateway
    var count = 0
    while !Task.isCancelled {
      count += 1
      await Task.yield()
    }
    return count
  }
  await gateway.perform(.owner(command), tag: "1", on: owner)
  counter.cancel()
  return await counter.value
}

@Test(.patient)
func `the record of an app that gets a fix is written with the log entry of the fix`() async throws {
  try await Bench(confirmed()).run { bench in
    let asking = await Asking(try await bench.client("parks"))
    await bench.receiver.send(second: 1)
    let before = await bench.gateway.state(of: parks)
    await bench.pressInTime()
    _ = try await asking.outcome.value
    let after = await bench.gateway.state(of: parks)
    #expect(after.record != before.record && after.pending == 0)
    #expect(after.writes["disclosure"] == 1 && after.writes["right"] == before.writes["right"])
  }
}

@Test(.patient, arguments: [false, true])
func `the kill switch ends all deliveries without an acknowledgement, and the intervals of all streams, in one write`(
  isStream: Bool
) async throws {
  let records = [record(.always), record(.always, of: "ferry")]
  try await Bench(records).run { bench in
    let epoch = nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,")
    if !isStream { await bench.receive(epoch) }
    for number in 1...4 {
      let connection = RecordingConnection(UInt64(number))
      await bench.gateway.open(records[number % 2].app, on: connection)
      let command = isStream ? Command.startUpdates(UpdatesRequest()) : .requestOnce(OnceRequest())
      await bench.gateway.perform(command, tag: nil, on: connection)
    }
    if isStream { await bench.receive(epoch) }
    #expect(await bench.log.count == 4, "each delivery has an entry, and each stream an interval")
    let before = await bench.gateway.state(of: parks)
    await bench.gateway.handle(.lockOrdered)
    let after = await bench.gateway.state(of: parks)
    let ends = await bench.log.compactMap { if case .end(let end, _, _) = $0.event { end } else { nil } }
    #expect(ends == (isStream ? [.locked, .locked, .locked, .locked] : []))
    #expect(await bench.outcomes == (isStream ? [] : [.lost, .lost, .lost, .lost]))
    #expect(after.writes["outcome"] == (before.writes["outcome"] ?? 0) + 1)
  }
}

extension Gateway {
  /// The record of an app, the number of changes that are not written, and the number of writes by kind.
  fileprivate func state(of app: AppID) -> (record: AppRecord, pending: Int, writes: [String: Int]) {
    let log = router.disclosures.log
    return (router.authorization.record(of: app), log.pendingChanges, log.writes.mapValues(\.count))
  }
}

@Test(.patient)
func `the gateway handles other inputs while it reads the log for an owner`() async throws {
  try await Bench(confirmed()).run { bench in
    let count = 3 * LogKeeper.entriesAtOnce
    await bench.gateway.fillLog(of: parks, count)
    for (name, limit, found) in [("parks", 1000, count), ("other", 1000, 0), ("parks", 5, 5), ("-", 5, 0)] {
      for after in [nil, 0] {
        let lines = Mutex<[ServerLine]>([])
        let owner = RecordingConnection(role: .owner) { call in
          if case .line(let line) = call { lines.withLock { $0.append(line) } }
        }
        let command = OwnerCommand.log(since: nil, app: name, limit: limit, after: after)
        let turns = await turns(during: command, owner, on: bench.gateway)
        #expect(lines.withLock { $0.count } == found + 1)
        #expect(lines.withLock { $0.last } == .ok(tag: "1", ["count": "\(found)"]))
        // Each turn reads or sends a limited number of entries.
        #expect(turns >= (limit == 5 ? 0 : 3), "\(name) \(limit) \(turns)")
      }
    }
  }
}

extension Gateway {
  /// Handles an answer of an owner at a later time, before the alarm rings.
  fileprivate func answer(
    _ prompt: Int, _ choice: PromptChoice, after delay: Duration, _ connection: any ClientConnection
  ) throws {
    try submit { router, now in
      let instant = now.monotonic + delay
      _ = try router.execute(
        .owner(.answer(prompt: prompt, choice, accuracy: nil, on: PromptDisplay())), tag: nil, on: connection,
        at: ClockReading(monotonic: instant, utc: now.utc(at: instant)))
    }
  }
}

@Test(.patient)
func `the log has each answer with the purpose as it was shown, the language, the choice and the user`() async throws {
  try await Bench().run { bench, app, owner in
    try await app.reply(to: #"AUTHORIZE when-in-use purpose=To find "parks""#)
    try await app.reply(to: "AUTHORIZE when-in-use purpose=Something else")
    #expect(try await owner.next("MSG owner/prompt").contains(#""says":"To find 'parks'""#))
    #expect(try await owner.reply(to: "ANSWER 1 while-using accuracy=reduced language=de") == "+OK")
    let answer = AnswerEntry(
      app: parks, prompt: .authorize, choice: .whileUsing, accuracy: .reduced, purpose: "To find 'parks'",
      language: "de", way: .socket(user: geteuid()))
    #expect(await bench.answers == [answer])
    #expect(await app.received.allSatisfy { !$0.contains(#""event":"answer""#) })
    for (prompt, surface, way) in [(2, "console", AnswerWay.console), (3, "page", .page)] {
      try await bench.app("app\(prompt)").reply(to: "AUTHORIZE when-in-use")
      _ = try await owner.next { $0.hasPrefix("MSG owner/prompt") && $0.contains(#""app":"app\#(prompt)""#) }
      #expect(try await owner.reply(to: "ANSWER \(prompt) no surface=\(surface)") == "+OK")
      let answer = try #require(await bench.answers.last)
      #expect(answer.way == way && answer.language == "en" && answer.purpose == nil)
    }
  }
}

@Test(.patient)
func `an owner who answers after the time of a double press learns that the first press has answered`() async throws {
  try await Bench(policy: Policy { $0.hasPromptDisplay = true }).run { bench, talker in
    try await talker.reply(to: "AUTHORIZE when-in-use purpose=Find parks")
    await bench.pressInTime()
    await bench.clock.pass(.milliseconds(100))
    let owner = RecordingConnection(role: .owner)
    let refusal = try await #require(throws: LineError.self) { () async throws in
      try await bench.gateway.answer(1, .no, after: .milliseconds(450), owner)
    }
    #expect(refusal.code == .expired)
    let answer = try #require(await bench.answers.first)
    #expect(answer.choice == .once && answer.way == .button)
    #expect(answer.purpose == "Find parks" && answer.language == "en", "a display shows the text")
    await bench.clock.pass(.seconds(1))
    #expect(await bench.log.count == 1)
  }
}

@Test(.patient)
func `an answer by the button is in the log before the disclosure that it permits`() async throws {
  try await Bench().run { bench, talker in
    try await talker.reply(to: "REQ once purpose=Find parks")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    _ = try await talker.next("MSG fix/once")
    let log = await bench.log.map(\.event)
    let answer = AnswerEntry(
      app: parks, prompt: .confirm, choice: .yes, accuracy: nil, purpose: nil, language: nil, way: .button)
    #expect(log.first == .answer(answer))
    guard log.count > 1, case .disclosure = log[1] else { throw Missing() }
  }
}
