import Authorization
import ControlledBoard
import Disclosure
import Hardware
import LineProtocol
import Logging
import NIOPosix
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import Serving
import SimulatedHardware
import Testing

@testable import Gateway

/// Starts a gateway with the conditions for a code.
private func bench(for code: ErrorCode, _ disk: Disk) async throws -> Bench {
  switch code {
  case .restricted:
    var policy = Policy()
    policy.authorization.restrictedApps = [parks]
    return try await Bench(policy: policy)
  case .internal: return try await Bench(cloak: CloakUnavailable("its memory cannot be read"))
  case .authTimeout: return try await Bench(authenticationTime: .seconds(1))
  case .receiverAbsent: return try await Bench(port: { _ in AbsentReceiver() })
  case .store, .notSaved: return try await Bench(confirmed(), disk: try disk.recording("\(code) codes"))
  default: return try await Bench(confirmed())
  }
}

/// Connects a client to the gateway. The client sends HELLO unless the code is an error of HELLO.
private func talker(for code: ErrorCode, _ bench: Bench) async throws -> Talker {
  switch code {
  case .authRequired, .authTimeout, .authFailed, .protoMismatch: try await Talker.meet(bench.folder + "/s")
  case .badCRC: try await bench.app("parks", "crc")
  case .keepaliveTimeout: try await Talker.connect(bench.folder + "/s", "HELLO 1 app=parks keepalive=1")
  default: try await bench.app()
  }
}

/// Requests a fix and presses for it with an obstacle.
private func press(_ bench: Bench, _ talker: Talker, _ hinder: () -> Void) async throws -> String {
  try await talker.reply(to: "SUB button/press b")
  #expect(try await talker.reply(to: "@c REQ once") == "+OK @c state=awaiting-press")
  await bench.pressInTime()
  _ = try await talker.next(#"MSG button/press b {"authorized":true}"#)
  hinder()
  await bench.receiver.send(second: 1)
  let told = try await talker.next("-ERR ")
  #expect(await bench.log.isEmpty)
  return told
}

/// Sends a command for which the app has a standing authorization.
private func standing(_ bench: Bench, _ talker: Talker, _ command: String) async throws -> String {
  await bench.gateway.handle(.ordered(.setStatus(parks, .always)))
  #expect(try await talker.reply(to: "@c \(command)") == "+OK @c state=acquiring")
  await bench.receiver.send(second: 1)
  return try await talker.next("-ERR ")
}

/// Causes an error. Each code has its case, so that a new code does not compile without one.
private func provoke(_ code: ErrorCode, _ bench: Bench, _ talker: Talker, _ disk: Disk) async throws -> String {
  switch code {
  case .badLine: return try await talker.reply(to: "@c PING \u{1}")
  case .badCRC: return try await talker.reply(to: "@c PING")
  case .lineTooLong: return try await talker.reply(to: String(repeating: "x", count: 4097))
  case .unknownVerb: return try await talker.reply(to: "@c FLY")
  case .badTopic: return try await talker.reply(to: "@c SUB nothing s")
  case .badArgument: return try await talker.reply(to: "@c ACK x")
  case .notDetermined: return try await talker.reply(to: "@c START updates")
  case .denied:
    await bench.gateway.handle(.ordered(.setStatus(parks, .denied)))
    return try await talker.reply(to: "@c START updates")
  case .restricted: return try await talker.reply(to: "@c START updates")
  case .notInUse:
    await bench.gateway.handle(.ordered(.setStatus(parks, .whenInUse)))
    return try await talker.reply(to: "@c START updates")
  case .locked:
    await bench.gateway.handle(.lockOrdered)
    return try await talker.reply(to: "@c REQ once")
  case .noPress:
    #expect(try await talker.reply(to: "@c REQ once timeout=1") == "+OK @c state=awaiting-press")
    await bench.clock.pass(.seconds(2))
    return try await talker.next("-ERR ")
  case .alreadyArmed:
    try await talker.reply(to: "REQ once")
    return try await talker.reply(to: "@c REQ once")
  case .expired: return try await talker.reply(to: "@c ACK 1")
  case .rateLimited:
    await talker.send(String(repeating: "@c PING\n", count: 200))
    return try await talker.next("-ERR ")
  case .tooMany:
    for number in 1...16 { try await talker.reply(to: "SUB indicator s\(number)") }
    return try await talker.reply(to: "@c SUB indicator s17")
  case .notOwner: return try await talker.reply(to: "@c LOCK")
  case .internal: return try await standing(bench, talker, "REQ once accuracy=reduced")
  case .noFix, .receiverAbsent:
    await bench.gateway.handle(.ordered(.setStatus(parks, .always)))
    #expect(try await talker.reply(to: "@c REQ once timeout=1") == "+OK @c state=acquiring")
    await bench.clock.pass(.seconds(2))
    return try await talker.next("-ERR ")
  case .indicator:
    return try await press(bench, talker) {
      bench.indicator.fault = .refusing(HardwareError(.failed, "drive", "the LED", cause: "broken"))
    }
  case .store: return try await press(bench, talker) { disk.isFull = true }
  case .notSaved:
    let owner = try await bench.owner()
    disk.isFull = true
    return try await owner.reply(to: "@c LOCK")
  case .authRequired: return try await talker.reply(to: "@c REQ once")
  case .authTimeout: return try await talker.next("-ERR ")
  case .authFailed: return try await talker.reply(to: "@c HELLO 1 app=Parks")
  case .protoMismatch: return try await talker.reply(to: "@c HELLO 2 app=parks")
  // `BackpressureTests` of `ServingTests` has the client that is too slow.
  case .slowConsumer: throw Missing()
  case .keepaliveTimeout: return try await talker.next("-ERR ")
  case .shuttingDown:
    await bench.stopServing()
    return try await talker.next("-ERR ")
  }
}

/// Whether the error is a reply to a command and has its tag.
private func hasTag(_ code: ErrorCode) -> Bool {
  switch code {
  case .badCRC, .lineTooLong, .authTimeout, .slowConsumer, .keepaliveTimeout, .shuttingDown: false
  default: true
  }
}

@Test(.patient, arguments: ErrorCode.allCases.filter { $0 != .slowConsumer })
func `each code is sent with its word, tag and reason, and the connection ends or stays as the contract requires`(
  code: ErrorCode
) async throws {
  let disk = Disk()
  try await bench(for: code, disk).run { bench in
    let talker = try await talker(for: code, bench)
    var told = try await provoke(code, bench, talker, disk)
    if code == .badCRC { told = try #require(verified(told)) }
    let beginning = "-ERR \(code.rawValue) \(code.slug)" + (hasTag(code) ? " @c" : "") + " :"
    #expect(told.hasPrefix(beginning) && told.utf8.count >= beginning.utf8.count + 4, "\(told)")
    if code.closes {
      try await talker.hungUp()
    } else if code == .badCRC {
      await talker.send(checked("@end PING") + "\n")
      #expect(try await talker.next("PONG") == checked("PONG @end"))
    } else {
      // After too many commands, the gateway accepts commands again later.
      while try await talker.reply(to: "@end PING") != "PONG @end" {}
    }
    // The reason of these codes refers to the log of the daemon.
    let causes: [ErrorCode: String] = [
      .internal: "cannot compute an approximate position ",
      .store: "cannot disclose a fix: the log cannot be written ",
    ]
    if let cause = causes[code] { #expect(bench.book.all.contains { $0.hasPrefix(cause) }) }
  }
}

/// Returns the line with its checksum.
func checked(_ line: String) -> String {
  let bytes = Array(line.utf8)
  return String(decoding: bytes + Checksum.ending(Checksum.crc16(bytes.span)), as: UTF8.self)
}

/// Returns the line without its checksum. Nil if the checksum is missing or wrong.
func verified(_ line: String) -> String? {
  let bytes = Array(line.utf8)
  return Checksum.verified(bytes.span).map { String(decoding: bytes[..<$0], as: UTF8.self) }
}

@Test(.patient)
func `with checksums agreed, every line from the reply to HELLO on has its checksum`() async throws {
  try await Bench(confirmed()).run { bench in
    let talker = try await bench.app("parks", "crc")
    let received = await talker.received
    #expect(received.count == 2 && verified(received[0]) == nil && received[0].hasPrefix("INFO "))
    #expect(verified(received[1])?.hasPrefix("+OK proto=1 session=") == true)
    #expect(verified(try await talker.reply(to: checked("@a PING"))) == "PONG @a")
    #expect(verified(try await talker.reply(to: checked("SUB indicator s"))) == "+OK")
    let indicator = verified(try await talker.next("MSG indicator"))
    #expect(indicator?.hasSuffix("{\"state\":\"off\"}") == true)
    #expect(verified(try await talker.reply(to: checked("REQ once"))) == "+OK state=awaiting-press")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    let fix = try #require(verified(try await talker.next("MSG fix/once")))
    #expect(fix.contains("\"lat\":47.37"))
    for line in await talker.received.dropFirst() { #expect(verified(line) != nil, "\(line)") }
  }
}

@Test(.patient)
func `a HELLO may have a checksum, which is then verified, and which alone does not enable checksums`() async throws {
  try await Bench(confirmed()).run { bench in
    let wrong = try await Talker.connect(bench.folder + "/s", "HELLO 1 app=parks keepalive=20 crc*0000")
    let refused = await wrong.received[1]
    #expect(refused.hasPrefix("-ERR 401 bad-crc ") && verified(refused) == nil)
    let taken = verified(try await wrong.reply(to: checked("HELLO 1 app=parks crc")))
    #expect(taken?.hasPrefix("+OK proto=1 ") == true)
    try await wrong.hangUp()
    let talker = try await Talker.connect(bench.folder + "/s", checked("HELLO 1 app=parks"))
    let (welcome, answer) = (await talker.received[1], try await talker.reply(to: "PING"))
    #expect(welcome.hasPrefix("+OK proto=1 ") && answer == "PONG")
    try await talker.hangUp()
  }
}
