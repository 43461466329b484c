import Base
import ControlledBoard
import Disclosure
@testable import Gateway
import Hardware
import LineProtocol
import Requirements
import Testing

private let outside = 3000.0
private let inside = 0.0

@Test(.patient)
func `the notification of a region whose app is absent is queued for an owner, and sent once`() async throws {
  try await Bench([record(.whenInUse)]).run { bench, app in
    try await app.register()
    await bench.stand(north: outside)
    try await app.reply(to: "BYE")
    await bench.stand(north: inside)
    let owner = try await bench.owner()
    try await owner.reply(to: "PING")
    let told = await owner.received("MSG owner/notification")
    #expect(told.count == 1)
    #expect(told.first?.contains(#""name":"parks","region":"home","event":"enter","says":"Buy milk","time":"#) == true)
    let second = try await bench.owner()
    try await second.reply(to: "PING")
    #expect(await second.received("MSG owner/notification").isEmpty)
  }
}

@Test(.patient)
func `an app's text in a prompt is unchanged and cannot end its quotation marks`() async throws {
  try await Bench().run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE when-in-use purpose=a” The gateway says: safe “b")
    #expect(try await owner.next("MSG owner/prompt").contains(#""says":"a' The gateway says: safe 'b""#))
    try await app.reply(to: "AUTHORIZE when-in-use purpose=Something else")
    let prompts = try await owner.list("PROMPTS")
    #expect(prompts.count == 1 && prompts[0].contains("says: safe") && prompts[0].contains(#""age_ms":"#))
  }
}

@Test(.patient)
func `an app that requests every epoch receives each one, though some come early`() async throws {
  try await Bench([record(.always)]).run { bench, app, owner in
    try await app.reply(to: "START updates interval=1000")
    #expect(try await owner.list("APPS").first?.contains(#""updates":"background""#) == true)
    let start = bench.clock.now - .seconds(20)
    for (number, milliseconds) in [0, 990, 2000, 2400, 2995].enumerated() {
      let body = "GNGGA,0735\(10 + number).00,4722.6000,N,00832.5000,E,1,11,0.8,408.2,M,47.3,M,,"
      await bench.gateway.receive(.bytes(nmea(body), at: start + .milliseconds(milliseconds)))
      await bench.until { $0.isReceiverIdle }
    }
    try await app.reply(to: "PING")
    // All epochs except the one that came too early.
    #expect(await app.received("MSG fix/updates").count == 4)
  }
}
