import Authorization
import Base
import ControlledBoard
import GNSS
import Hardware
import LineProtocol
import OneFixClient
import Requirements
import SimulatedHardware
import StateStore
import Testing

@testable import Gateway

/// A request, the notifications of its presses, and its outcome.
final class Asking: Sendable {
  let outcome: Task<FixReport, any Error>
  let news: AsyncStream<OneFixClient.PressNotification>

  init(_ client: OneFixClient, _ options: OnceRequest = OnceRequest()) async {
    let (armed, isArmed) = AsyncStream.makeStream(of: Void.self)
    let (news, told) = AsyncStream.makeStream(of: OneFixClient.PressNotification.self)
    self.news = news
    outcome = Task {
      // A refused request is never armed, and gets no notification.
      defer {
        isArmed.finish()
        told.finish()
      }
      return try await client.requestOnce(options) {
        isArmed.yield()
      } pressed: { news in
        told.yield(news)
      }
    }
    for await _ in armed { break }
  }

  func nextNews() async -> OneFixClient.PressNotification? {
    for await news in news { return news }
    return nil
  }

  func refusal() async -> ErrorCode? {
    do {
      _ = try await outcome.value
      return nil
    } catch let error as ClientError {
      return error.refusal?.code
    } catch {
      return .internal
    }
  }
}

@Test(.patient)
func `a press gives the fix, and the indicator is on when the fix is sent`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.receiver.send(second: 1)
    let asking = await Asking(try await bench.client("parks"))
    await bench.pressInTime()
    await bench.receiver.send(second: 2)
    let fix = try await asking.outcome.value
    let coordinate = try #require(fix.coordinate)
    #expect(abs(coordinate.latitude - (47 + 22.6133 / 60)) < 1e-9)
    #expect(abs(coordinate.longitude - (8 + 32.5016 / 60)) < 1e-9)
    #expect(bench.indicator.isLit)
    #expect(await bench.disclosureCount == 1)
  }
}

@Test(.patient)
func `an indicator that its sense input does not confirm prevents disclosures until it is confirmed`() async throws {
  try await Bench(confirmed()).run { bench in
    bench.indicator.fault = .dark
    let client = try await bench.client("parks")
    // The sense input can show the fault only after the indicator is switched on: the press is granted, and the fix is
    // withheld.
    let first = await Asking(client)
    await bench.pressInTime()
    await bench.receiver.send(second: 1)
    await bench.clock.pass(IndicatorDriver.senseTime)
    #expect(await first.refusal() == .indicator)
    // From then on a press is not granted until the sense input confirms the indicator.
    let second = await Asking(client)
    await bench.clock.pass(.milliseconds(1700))
    await bench.pressInTime()
    #expect(await second.nextNews() == .unauthorized("indicator-dark"))
    #expect(await bench.log.isEmpty)
    bench.indicator.fault = nil
    repeat { await bench.pressInTime() } while await second.nextNews() != .authorized
    await bench.receiver.send(second: 2)
    _ = try await second.outcome.value
  }
}

@Test(
  .patient,
  arguments: [
    (IndicatorProfile(brightness: 0.19), nil, "indicator-too-dim"),
    (IndicatorProfile(onceDuration: .milliseconds(499)), nil, "indicator-too-short"),
    (IndicatorProfile(colour: Colour(red: 0x22, green: 0x22, blue: 0x22)), nil, "indicator-low-contrast"),
    (IndicatorProfile(), HardwareError(.failed, "drive", "the LED", cause: "broken"), "indicator-missing"),
  ] as [(IndicatorProfile, HardwareError?, String)])
func `an indicator that users cannot see well, or with a known fault, prevents every disclosure`(
  profile: IndicatorProfile, fault: HardwareError?, reason: String
) async throws {
  try await Bench(confirmed(), profile: profile).run { bench in
    if let fault { bench.indicator.fault = .refusing(fault) }
    await bench.receiver.send(second: 1)
    let asking = await Asking(try await bench.client("parks"))
    await bench.pressInTime()
    #expect(await asking.nextNews() == .unauthorized(reason))
    #expect(await bench.log.isEmpty)
    asking.outcome.cancel()
  }
}

@Test(.patient)
func `while one app is served, another waiting app receives no notification`() async throws {
  try await Bench(confirmed(["parks", "maps"])).run { bench in
    await bench.receiver.send(second: 1)
    let parks = await Asking(try await bench.client("parks"))
    let other = try await bench.client("maps")
    let maps = await Asking(other)
    let before = try await other.perform(.status)
    await bench.pressInTime()
    await bench.receiver.send(second: 2)
    _ = try await parks.outcome.value
    #expect(try await other.perform(.status) == before)
    // The first notification of a waiting app is about a press for itself.
    await bench.clock.pass(.milliseconds(1700))
    await bench.pressInTime()
    await bench.receiver.send(second: 5)
    #expect(await maps.nextNews() == .authorized)
    _ = try await maps.outcome.value
  }
}

@Test(.patient)
func `an approximate fix has its node, its quarter hour, and nothing finer`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.receiver.send(second: 1)
    let asking = await Asking(try await bench.client("parks"), OnceRequest(accuracy: .reduced))
    await bench.pressInTime()
    await bench.receiver.send(second: 2)
    let fix = try await asking.outcome.value
    #expect(fix.accuracy == .reduced && fix.horizontalAccuracy == 2750)
    #expect(fix.altitude == nil && fix.satellites == nil && fix.mode == nil && fix.age == nil)
    #expect(fix.time?.timeOfDay.nanosecondsSinceMidnight.isMultiple(of: 900_000_000_000) == true)
  }
}

@Test(.patient)
func `every epoch that a busy machine reads at once is disclosed`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.gateway.handle(.ordered(.setStatus(parks, .always)))
    let app = try await bench.app()
    try await app.reply(to: "SUB fix/updates u")
    try await app.reply(to: "START updates")
    @Sendable func updates(_ received: [String]) -> Int { received.count { $0.hasPrefix("MSG fix/updates") } }
    // The last epoch is complete when no data follows it.
    await bench.receiver.send(seconds: 1..<11)
    try await app.until { updates($0) >= 10 }
    await bench.receiver.send(second: 11)
    try await app.until { updates($0) >= 11 }
    try await app.reply(to: "STOP")
    #expect(await updates(app.received) == 11)
  }
}

@Test(.patient)
func `after the end of a right no fix is sent, even if the gateway's alarm is late`() async throws {
  try await Bench(confirmed()).run { bench in
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse)))
    let app = try await bench.app()
    await bench.gateway.handle(.ordered(.use(parks)))
    try await app.reply(to: "SUB fix/updates u")
    try await app.reply(to: "START updates")
    await bench.receiver.send(second: 1)
    _ = try await app.next("MSG fix/updates")
    bench.clock.pass(withoutAlarms: Authorization.Bounds.useMax)
    // The third epoch completes the second one. So the gateway has a new fix before any alarm.
    bench.receiver.read(seconds: 2..<4)
    await bench.gateway.answer()
    await bench.clock.pass(.milliseconds(500))
    _ = try await app.next("-ERR")
    #expect(await app.received("MSG fix/updates").count == 1)
  }
}
