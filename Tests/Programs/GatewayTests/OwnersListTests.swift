import Base
import ControlledBoard
import Disclosure
@testable import Gateway
import Decoding
import Hardware
import LineProtocol
import Ports
import RecordingClients
import Requirements
import Synchronization
import Testing

/// An epoch with three satellites, of which two are used. One is reported with two signals.
private let epoch =
  nmea("GNGGA,073510.00,4722.6000,N,00832.5000,E,1,02,0.8,408.2,M,47.3,M,,")
  + nmea("GNGSA,A,3,05,,,,,,,,,,,,1.5,0.8,1.2,1") + nmea("GNGSA,A,3,70,,,,,,,,,,,,1.5,0.8,1.2,2")
  + nmea("GPGSV,1,1,02,05,41,301,44,23,03,012,,1") + nmea("GPGSV,1,1,01,05,41,301,39,8")
  + nmea("GLGSV,1,1,01,70,80,007,51,1")

@Test(.patient)
func `owners receive each satellite once and the quality of the fix, and never a position`() async throws {
  try await Bench().run { bench in
    let owner = try await bench.owner()
    #expect(try await owner.reply(to: "SKY").contains("count=0"))
    await bench.gateway.receive(.bytes(epoch, at: bench.clock.now - .seconds(1)))
    await bench.until { $0.hasSatellites }
    let satellites = try await owner.list("SKY")
    let said = satellites.map { $0.dropFirst("MSG owner/sky - ".count) }.sorted()
    #expect(
      said == [
        #"{"gnss":"glonass","id":70,"el":80,"az":7,"ss":51,"used":true}"#,
        #"{"gnss":"gps","id":23,"el":3,"az":12,"used":false}"#,
        #"{"gnss":"gps","id":5,"el":41,"az":301,"ss":44,"used":true}"#,
      ])
    let reply = try await owner.reply(to: "SKY")
    #expect(reply.contains("count=3 receiver=ready fix=3d sats=2 hdop=0.8") && reply.contains(" hacc="))
    for line in satellites + [reply] {
      for text in ["\"lat", "\"lon", "lat=", "lon=", "47.3", "8.54"] { #expect(!line.contains(text)) }
    }
    let app = try await bench.app()
    #expect(try await app.reply(to: "SKY").hasPrefix("-ERR 432 "))
    #expect(try await app.reply(to: "SESSIONS").hasPrefix("-ERR 432 "))
  }
}

@Test(.patient)
func `owners receive the purpose of a request that waits for a press, and the pattern of the light`() async throws {
  try await Bench().run { bench in
    let owner = try await bench.owner()
    #expect(try await !owner.reply(to: "STATUS").contains("indicator-pattern="))
    let app = try await bench.app()
    try await app.reply(to: "REQ once purpose=To find “fuel”")
    #expect(try await owner.list("APPS").count { $0.contains(#""says":"To find 'fuel'""#) } == 1)
    try await app.reply(to: "CANCEL")
    #expect(try await !owner.list("APPS").contains { $0.contains(#""says""#) })
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(try await owner.reply(to: "STATUS").contains(" indicator-pattern=120,120,120,640 "))
  }
}

@Test(.patient)
func `owners receive the connections in order, in pages, without the tokens of their sessions`() async throws {
  try await Bench().run { bench in
    let owner = try await bench.owner()
    #expect(try await owner.list("SESSIONS").isEmpty)
    let first = try await bench.app()
    let second = try await bench.app("zoo")
    try await first.reply(to: "REQ once")
    let told = try await owner.list("SESSIONS")
    #expect(told.count == 2 && told[0].contains(#""app":"parks","transport":"unix","peer":"uid "#))
    #expect(told[0].contains(#""armed":true,"in-use":false}"#) && told[1].contains(#""app":"zoo""#))
    #expect(told.allSatisfy { !$0.contains("token") && $0.contains(#""since":"20"#) })
    let number = try #require(told[0].split(separator: #""session":"#).last?.prefix { $0.isNumber })
    #expect(try await owner.list("SESSIONS after=\(number)").count == 1)
    #expect(try await owner.list("SESSIONS limit=1").map { $0.contains("parks") } == [true])
    #expect(try await owner.list("SESSIONS app=zoo").count == 1)
    #expect(try await owner.reply(to: "SESSIONS app=nobody").hasPrefix("-ERR 405 "))
    try await second.hangUp()
  }
}

@Test(.patient)
func `the gateway handles other inputs while it sends a long list to an owner`() async throws {
  let count = 600
  try await Bench(confirmed((0..<count).map { "app\($0)" })).run { bench in
    let lines = Mutex(0)
    let owner = RecordingConnection(role: .owner) { call in
      if case .line = call { lines.withLock { $0 += 1 } }
    }
    #expect(await turns(during: .apps, owner, on: bench.gateway) >= 2)
    #expect(lines.withLock { $0 } == count + 1)
  }
}
