import Base
import ControlledBoard
import Disclosure
import Foundation
import GNSS
import Hardware
import LineProtocol
import OperatingSystem
import Requirements
import SeededNumbers
import StateStore
import TemporaryFiles
import Testing

@testable import Cloaking
@testable import Gateway

/// The data of a receiver at one position, with fine or coarse detail.
private struct Sky {
  var position: Coordinate
  var altitude: Double
  var satellites: Int
  var hdop: Double
  var knots: Double
  var course: Double

  /// Returns data of a random position within 2 km of the centre of all tests.
  static func random(_ random: inout some RandomNumberGenerator) -> Sky {
    func draw(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    return Sky(
      position: Coordinate(latitude: 47.3767 + draw(-0.018...0.018), longitude: 8.5417 + draw(-0.026...0.026))!,
      altitude: draw(0...3000), satellites: Int.random(in: 4...20, using: &random), hdop: draw(0.5...5),
      knots: draw(0...80), course: draw(0...359))
  }

  /// Returns the sentences of one second, in the middle of a quarter hour.
  func sentences(second: Int) -> [UInt8] {
    let time = String(format: "0735%02d.00", second)
    let north = Self.field(position.latitude, "%02d%010.7f")
    let east = Self.field(position.longitude, "%03d%010.7f")
    let fields = "\(north),N,\(east),E"
    let motion = String(format: "%.2f,%.1f", knots, course)
    let rest = String(format: "1,%02d,%.1f,%.1f", satellites, hdop, altitude)
    let bodies = [
      "GNRMC,\(time),A,\(fields),\(motion),211126,,,A", "GNGGA,\(time),\(fields),\(rest),M,47.3,M,,",
    ]
    return bodies.flatMap { nmea($0) }
  }

  private static func field(_ degrees: Double, _ format: String) -> String {
    let whole = Int(degrees)
    return String(format: format, whole, (degrees - Double(whole)) * 60)
  }
}

/// Returns everything that an app with reduced accuracy receives when it uses every command, by topic.
private func everythingTold(under sky: Sky) async throws -> [String: [String]] {
  var told: [String: [String]] = [:]
  try await Bench([record(.always, accuracy: .reduced)], node: sky.position).run { bench, app in
    try await app.reply(to: "SUB # all")
    for line in ["STATUS", "REGION ADD here 47.3767 8.5417 300 enter,exit :Here", "REQ once"] {
      try await app.reply(to: line)
    }
    _ = try await app.next("MSG fix/once")
    try await app.reply(to: "STATUS")
    await bench.receive(sky.sentences(second: 10))
    try await app.reply(to: "ACK 1")
    try await app.reply(to: "START updates interval=0 distance=0")
    await bench.receive(sky.sentences(second: 11))
    _ = try await app.next("MSG fix/updates")
    // More fixes, but no more messages.
    for second in 12..<15 { await bench.receive(sky.sentences(second: second)) }
    for line in ["STATUS", "STOP updates", "REGION LIST", "STATUS"] { try await app.reply(to: line) }
    for line in await app.received {
      let words = line.split(separator: " ")
      let topic = words[0] == "MSG" ? String(words[1]) : "replies"
      told[topic, default: []].append(withoutTime(line))
    }
  }
  // The times at which the indication changes depend on the machine. Only its values are checked.
  for line in told.removeValue(forKey: "indicator") ?? [] { #expect(lights.contains(line)) }
  return told
}

/// All indications that an app may receive.
private let lights = Set(
  ["off", "acquiring", "in-use", "background"].flatMap { state in
    ["", "ret=1 "].map { "MSG indicator all \($0){\"state\":\"\(state)\"}" }
  })

/// Returns a line without its random values, its current indication, and the mark of a repetition.
private func withoutTime(_ line: String) -> String {
  line.replacing(/\ (session|nonce)=\w+/, with: "").replacing(/\ indicator=(off|acquiring|in-use|background)/, with: "")
    .replacing(" dup=1", with: "")
}

@Test(.patient)
func `no message to an app with reduced accuracy depends on the position more finely than on its node`() async throws {
  var random = SplitMix64(seed: 1)
  func node(_ sky: Sky) throws -> String {
    var cloak = Cloak(key: try CloakKey(deviceKey: Bench.key), memory: Cloak.Memory(), boot: "1")
    let utc = UTCTime(
      date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 35, second: 10)!)
    let fix = cloak.reduce(sky.position, at: MonotonicInstant(nanoseconds: 0), utc: utc)
    return try #require(fix.map { "\($0.latitude) \($0.longitude)" })
  }
  for _ in 0..<4 {
    let here = Sky.random(&random)
    var there = Sky.random(&random)
    while try node(there) != node(here) { there = Sky.random(&random) }
    let (told, toldThere) = (try await everythingTold(under: here), try await everythingTold(under: there))
    #expect(told == toldThere, "\(here) and \(there)")
    #expect(told["fix/once"]?.count == 1 && told["fix/updates"]?.count == 1)
  }
  // A different node gives different messages, so the comparison can fail.
  let here = Sky.random(&random)
  var there = Sky.random(&random)
  while try node(there) == node(here) { there = Sky.random(&random) }
  let (told, toldThere) = (try await everythingTold(under: here), try await everythingTold(under: there))
  #expect(told["fix/once"] != toldThere["fix/once"])
  #expect(told.filter { !$0.key.hasPrefix("fix/") } == toldThere.filter { !$0.key.hasPrefix("fix/") })
}

/// The state of the receiver while an app with reduced accuracy sends its commands.
private enum ReceiverState: CaseIterable {
  case silent, withoutFix, withFix

  func send(_ second: Int, to bench: Bench) async {
    let time = String(format: "0735%02d.00", second)
    let bodies =
      switch self {
      case .silent: [String]()
      case .withoutFix: ["GNRMC,\(time),V,,,,,,,211126,,,N", "GNGGA,\(time),,,,,0,00,99.9,,M,,M,,"]
      case .withFix:
        [
          "GNRMC,\(time),A,4722.6123,N,00832.4917,E,0.0,0.0,211126,,,A",
          "GNGGA,\(time),4722.6123,N,00832.4917,E,1,09,0.9,408.0,M,47.3,M,,",
        ]
      }
    await bench.receive(bodies.flatMap { nmea($0) })
  }
}

/// Returns everything that an app with reduced accuracy receives when it uses every command, with or without a node in
/// force.
private func everythingTold(_ receiver: ReceiverState, hasNode: Bool) async throws -> [String] {
  var told: [String] = []
  let position = hasNode ? Coordinate(latitude: 47.3767, longitude: 8.5417) : nil
  try await Bench([record(.always, accuracy: .reduced)], node: position).run { bench, app in
    for second in 10..<13 { await receiver.send(second, to: bench) }
    try await app.reply(to: "SUB receiver r")
    for line in ["REQ once max-age=0 timeout=1", "REQ once max-age=60000 timeout=1"] {
      try await app.reply(to: line)
      await bench.clock.pass(.seconds(1))
      if hasNode {
        _ = try await app.next("MSG fix/once")
        try await app.reply(to: "ACK 1")
        try await app.reply(to: "ACK 2")
      } else {
        _ = try await app.next("-ERR 510")
      }
      await receiver.send(14, to: bench)
    }
    // The light of the last fix goes out, so that the updates have to wait for their own.
    await bench.clock.pass(.seconds(2))
    try await app.reply(to: "START updates interval=0")
    if hasNode { _ = try await app.next("MSG fix/updates") }
    try await app.reply(to: "STOP updates")
    // The quarter hour follows the receiver's clock after its first time, and the receiver is present or absent.
    told = await app.received.map { line in
      withoutTime(line).replacing(/"time":"[^"]*"/, with: "").replacing(/"state":"(absent|present)"/, with: "")
    }
  }
  return told
}

@Test(.patient, arguments: [true, false])
func `no message to an app with reduced accuracy depends on the receiver`(hasNode: Bool) async throws {
  let views = try await [
    everythingTold(.silent, hasNode: hasNode), everythingTold(.withoutFix, hasNode: hasNode),
    everythingTold(.withFix, hasNode: hasNode),
  ]
  #expect(views[1] == views[0] && views[2] == views[0])
  #expect(views[0].contains { $0.hasPrefix(hasNode ? "MSG fix/once" : "-ERR 510") })
}

@Test(.patient, arguments: [1000, 2000])
func `the gateway saves the end of a slot with an answer, and at its stop the time that has passed`(
  seconds: Int
) async throws {
  let home = try #require(Coordinate(latitude: 47.3767, longitude: 8.5417))
  let bench = try await Bench([record(.always, accuracy: .reduced)], node: home)
  let app = try await bench.app()
  try await app.reply(to: "REQ once")
  _ = try await app.next("MSG fix/once")
  // The first slot lasts 15 to 30 minutes.
  await bench.clock.pass(.seconds(seconds))
  await bench.stop()
  let saved = try bench.stored { try $0.unseal(DisclosureGate.memoryName) }
  let bytes = try #require(saved)
  let slot = try #require(Cloak.Memory(encoded: bytes)).present
  #expect(slot.boot == "1" && (!slot.isAnswered || seconds == 1000 && slot.rest < .seconds(900)))
}
