import Authorization
import Base
import ControlledBoard
import LineProtocol
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Testing

@testable import Gateway

/// Runs the body of a test with outputs of the app parks that get a fix by each press, and that are connected.
private func withOutputs(
  _ records: [AppRecord] = confirmed(["parks", "other"]), _ forms: [RecordedConnection.Form] = [.init()],
  policy: Policy = Policy(), _ body: (Bench, [RecordedConnection]) async throws -> Void
) async throws {
  try await Bench(records, policy: policy).run { bench in
    var outputs: [RecordedConnection] = []
    for form in forms {
      let output = RecordedConnection(form)
      await bench.gateway.open(on: output)
      await bench.gateway.open(on: EachPressConnection(to: output, over: .mqtt, peer: output.peer))
      await bench.gateway.connect(output)
      outputs.append(output)
    }
    try await body(bench, outputs)
  }
}

extension Gateway {
  /// Notes that the broker has a fix, and can take the next one.
  fileprivate func settle(_ number: Int64, on output: RecordedConnection) {
    acknowledged(number, on: output)
    ready(output)
  }
}

extension Bench {
  /// Presses after the rest between two fixes, and sends the epoch of the press.
  fileprivate func pressOnce(second: Int) async {
    await clock.pass(.seconds(2))
    await pressInTime()
    await receiver.send(second: second)
  }

  /// Returns the counts of requests without a fix, as owners see them.
  fileprivate func refusals() async throws -> [String] {
    let owner = try await owner()
    return try await owner.list("COUNTS")
  }

  /// The disclosures in the log, oldest first.
  fileprivate var disclosures: [AppID] {
    get async { await log.compactMap { if case .disclosure(let entry) = $0.event { entry.app } else { nil } } }
  }
}

@Test(.patient)
func `each press that no app waits for gives one fix to the output, with an entry in the log`() async throws {
  try await withOutputs { bench, outputs in
    for second in [3, 7, 11] {
      await bench.pressOnce(second: second)
      let fix = try await outputs[0].fix()
      #expect(fix.text.hasSuffix(" full"))
      await bench.gateway.settle(fix.number, on: outputs[0])
    }
    let owner = try await bench.owner()
    #expect(try await owner.reply(to: "STATUS").contains(" last-press-app=parks last-press-to=mqtt://broker "))
    #expect(await bench.disclosures == [parks, parks, parks])
    #expect(await bench.outcomes == [.acknowledged, .acknowledged, .acknowledged])
    #expect(try await bench.refusals() == [])
  }
}

@Test(.patient)
func `without a press the output gets nothing, also under a standing authorization`() async throws {
  try await withOutputs([record(.always)]) { bench, outputs in
    for second in 1...4 { await bench.receiver.send(second: second) }
    #expect(await bench.disclosures == [])
    await bench.pressOnce(second: 8)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `a press serves the app that asked, and the next press serves the output`() async throws {
  try await withOutputs { bench, outputs in
    let app = try await bench.app("other")
    try await app.reply(to: "REQ once")
    await bench.pressOnce(second: 4)
    _ = try await app.next("MSG fix/once")
    #expect(await bench.disclosures == [AppID("other")])
    await bench.pressOnce(second: 8)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures.last == parks)
  }
}

@Test(.patient)
func `one press gives the same fix to each output of the app, with an entry for each`() async throws {
  try await withOutputs(confirmed(), [.init(), .init(name: "mqtt://second parks")]) { bench, outputs in
    await bench.pressOnce(second: 3)
    for output in outputs { _ = try await output.fix() }
    #expect(await bench.disclosures == [parks, parks])
  }
}

@Test(.patient)
func `while an app is denied, a press gives its output nothing, until an owner allows the app`() async throws {
  try await withOutputs { bench, outputs in
    await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    #expect(await bench.gateway.ownerStatus["next"] == nil)
    await bench.pressOnce(second: 3)
    #expect(await bench.disclosures == [])
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse)))
    await bench.pressOnce(second: 7)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `while the gateway is locked, a press gives the output nothing; after the unlock it does`() async throws {
  try await withOutputs { bench, outputs in
    await bench.gateway.handle(.lockOrdered)
    await bench.pressOnce(second: 3)
    #expect(await bench.disclosures == [])
    _ = await bench.button.press(for: .milliseconds(3200))
    #expect(await bench.gateway.ownerStatus["locked"] == "false")
    // The end of a request that the gateway made itself is no refusal of the app.
    #expect(try await bench.refusals() == [])
    await bench.pressOnce(second: 12)
    _ = try await outputs[0].fix()
    #expect(await bench.disclosures == [parks])
  }
}

@Test(.patient)
func `while the outbox of the output is full, the output has no request, and no refusal is counted`() async throws {
  try await withOutputs(confirmed(), [.init(mostWaiting: 1)]) { bench, outputs in
    await bench.gateway.disconnected(outputs[0])
    await bench.pressOnce(second: 3)
    await bench.until { $0.snapshot(entries: 20).log.count == 1 }
    for second in [7, 11] { await bench.pressOnce(second: second) }
    #expect(await bench.disclosures == [parks])
    #expect(await bench.gateway.ownerStatus["next"] == nil)
    #expect(try await bench.refusals() == [])
    // The broker comes back, and the fix arrives once.
    await bench.gateway.connect(outputs[0])
    let fix = try await outputs[0].fix()
    await bench.gateway.settle(fix.number, on: outputs[0])
    await bench.pressOnce(second: 15)
    #expect(try await outputs[0].fix().number != fix.number)
  }
}

@Test(.patient)
func `a press gives an app with names of places nothing at an output with positions only, which waits again`()
  async throws
{
  try await withOutputs([record(.always, accuracy: .place)], [.init(hasPositionsOnly: true)]) { bench, _ in
    for second in [3, 7] {
      await bench.pressOnce(second: second)
      await bench.pass { $0.grantCount == 0 }
      #expect(await bench.gateway.ownerStatus["next"] == "parks")
    }
    let refusals = try await bench.refusals()
    #expect(await bench.disclosures == [] && refusals == [])
  }
}

@Test(.patient)
func `the request of an output lasts longer than a day`() async throws {
  try await withOutputs { bench, _ in
    await bench.clock.pass(.seconds(90_000))
    #expect(await bench.gateway.ownerStatus["next"] == "parks")
  }
}
