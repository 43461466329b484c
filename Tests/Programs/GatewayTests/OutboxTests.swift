import Authorization
import Base
import ControlledBoard
import GNSS
import Hardware
import LineProtocol
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Testing

@testable import Gateway

/// Runs the body of a test with a bridge whose broker is not available yet.
private func withBridge(
  _ form: RecordedConnection.Form = .init(), _ body: (Bench, RecordedConnection) async throws -> Void
) async throws {
  try await Bench(confirmed()).run { bench in
    let connection = RecordedConnection(form)
    await bench.gateway.open(on: connection)
    try await body(bench, connection)
  }
}

private func request(_ bench: Bench, _ connection: RecordedConnection, _ id: String) async throws {
  await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@\(id)", on: connection)
  _ = try await connection.line("+OK @\(id)")
}

/// Sends a request that is granted.
private func grant(
  _ bench: Bench, _ connection: RecordedConnection, _ id: String, second: Int
) async throws {
  try await request(bench, connection, id)
  await bench.pressInTime()
  await bench.receiver.send(second: second)
}

@Test(.patient)
func `at the limit of waiting fixes no request is armed, until a waiting fix was delivered`() async throws {
  try await withBridge(.init(mostWaiting: 1)) { bench, connection in
    try await grant(bench, connection, "a", second: 1)
    // The request is granted and its fix waits. No fix was delivered yet.
    await bench.until { !$0.snapshot(entries: 20).log.isEmpty }
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@b", on: connection)
    #expect(try await connection.line("-ERR").hasPrefix("-ERR 431 too-many @b "))
    await bench.gateway.connect(connection)
    let fix = try await connection.fix()
    #expect(fix.text == "a full")
    await bench.gateway.acknowledged(fix.number, on: connection)
    try await request(bench, connection, "c")
    #expect(await bench.outcomes == [.acknowledged])
  }
}

@Test(.patient)
func `one fix is in flight at a time, and a fix without an acknowledgement is delivered again`() async throws {
  try await withBridge { bench, connection in
    await bench.gateway.connect(connection)
    try await grant(bench, connection, "a", second: 1)
    let first = try await connection.fix()
    // The broker disconnects before it acknowledges the fix.
    await bench.gateway.disconnected(connection)
    await bench.gateway.connect(connection)
    let again = try await connection.fix()
    #expect(again.number == first.number && again.text == "a full")
    await bench.gateway.acknowledged(again.number, on: connection)
    await bench.gateway.acknowledged(again.number, on: connection)
    #expect(await bench.outcomes.last == .acknowledged)
    #expect(await bench.outcomes.count { $0 == .acknowledged } == 1)
  }
}

@Test(.patient)
func `the kill switch recalls a fix in flight, and a late acknowledgement has no effect`() async throws {
  try await withBridge { bench, connection in
    await bench.gateway.connect(connection)
    try await grant(bench, connection, "a", second: 1)
    let fix = try await connection.fix()
    await bench.gateway.handle(.lockOrdered)
    _ = try await connection.next { $0 == .recall ? true : nil }
    await bench.gateway.acknowledged(fix.number, on: connection)
    #expect(await bench.outcomes == [.erased])
  }
}

@Test(.patient)
func `a waiting name that the owner denies is erased, also if the broker already has it`() async throws {
  for isConnected in [true, false] {
    try await withBridge { bench, connection in
      if isConnected { await bench.gateway.connect(connection) }
      let owner = RecordingConnection(role: .owner)
      let here = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
      let commands: [PlaceCommand] = [
        .add(name: "harbour", radius: 300, centre: here), .allow(app: "parks", names: ["harbour"]),
      ]
      for command in commands { await bench.gateway.perform(.owner(.place(command)), tag: nil, on: owner) }
      await bench.gateway.perform(.requestOnce(OnceRequest(accuracy: .place)), tag: "@a", on: connection)
      await bench.pressInTime()
      // A name needs fixes over 10 s.
      await bench.receiver.send(second: 1)
      await bench.clock.pass(.milliseconds(10_500))
      await bench.receiver.send(second: 12)
      if isConnected { #expect(try await connection.fix().text == "a place") }
      await bench.until { !$0.snapshot(entries: 20).log.isEmpty }
      await bench.gateway.perform(
        .owner(.place(.deny(app: "parks", names: ["harbour"]))), tag: nil, on: owner)
      #expect(await bench.outcomes == [.erased])
      if isConnected { _ = try await connection.next { $0 == .recall ? true : nil } }
      await bench.gateway.connect(connection)
      #expect(await bench.log.count == 2)
    }
  }
}

@Test(.patient)
func `a waiting fix is delivered only while the indicator can be seen`() async throws {
  try await withBridge { bench, connection in
    try await grant(bench, connection, "a", second: 1)
    await bench.until { !$0.snapshot(entries: 20).log.isEmpty }
    bench.indicator.fault = .refusing(HardwareError(.failed, "drive", "the LED", cause: "broken"))
    // The indication of the press is over, and the next one cannot be shown.
    await bench.clock.pass(.seconds(3))
    #expect(await bench.gateway.snapshot(entries: 1).indication == .off)
    await bench.gateway.connect(connection)
    await bench.clock.pass(.seconds(10))
    #expect(await bench.outcomes == [])
    bench.indicator.fault = nil
    await bench.clock.pass(.seconds(5))
    #expect(try await connection.fix().text == "a full")
    #expect(await bench.outcomes == [.postponed])
  }
}

@Test(.patient)
func `a fix that cannot be encrypted is an internal error, and not a fault of the log`() async throws {
  try await withBridge(.init(canEncrypt: false)) { bench, connection in
    try await grant(bench, connection, "a", second: 1)
    #expect(try await connection.line("-ERR").hasPrefix("-ERR 500 internal @a :the gateway cannot encrypt the fix"))
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient)
func `the time of a disconnection is unknown until the clock is set, and then it is right`() async throws {
  try await withBridge { bench, connection in
    let now = bench.clock.reading.utc
    bench.clock.set(UTCTime(nanosecondsSince1970: 12_000_000_000))
    await bench.gateway.connect(connection)
    await bench.gateway.disconnected(connection)
    let unset = await bench.gateway.ownerStatus
    #expect(unset["mqtt-1-state"] == "disconnected" && unset["mqtt-1-since"] == nil)
    #expect(unset["warnings"] == "clock-unset")
    await bench.clock.pass(.seconds(60))
    bench.clock.set(now)
    let set = await bench.gateway.ownerStatus
    let minute = ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: now)
    let since = minute.utc(at: MonotonicInstant(nanoseconds: -60_000_000_000))
    #expect(set["mqtt-1-since"].map { $0.prefix(19) } == since.iso8601.prefix(19))
    #expect(set["warnings"] == nil)
  }
}
