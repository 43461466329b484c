import Authorization
import Base
import ControlledBoard
import LineProtocol
import RecordingClients
import Requirements
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

private let hour = Duration.seconds(3600)

extension Bench {
  fileprivate func status() async -> AuthorizationStatus { await gateway.status(of: parks) }

  fileprivate var ends: [LogEntry.Event] {
    get async { await log.map(\.event).filter { if case .rightEnd = $0 { true } else { false } } }
  }
}

@Test(.patient)
func `D6: an owner allows an app for a time; the app, the owners and the log are told of the end`() async throws {
  try await Bench(confirmed()).run { bench, app, owner in
    _ = try await app.reply(to: "SUB authorization a")
    #expect(try await owner.reply(to: "SET parks status always for=3600") == "+OK")
    let end = bench.clock.reading.utc(at: bench.clock.now + hour).iso8601
    let listed = try #require(try await owner.list("APPS").first)
    #expect(listed.contains(#""until":"\#(end)","then":"when-i-share""#), "\(listed)")
    #expect(try await app.next { $0.contains(#""until":"\#(end)""#) }.contains(#""status":"always""#))
    await bench.clock.pass(hour - .seconds(1))
    #expect(await bench.status() == .always)
    await bench.clock.pass(.seconds(1))
    #expect(await bench.status() == .notDetermined)
    #expect(await bench.ends == [.rightEnd(of: .always, .notDetermined)])
    #expect(
      try await owner.next { $0.contains("owner/notification") }
        .contains(#""event":"right-ended","shown":"when-i-share""#))
    #expect(try await app.next { $0.contains(#""status":"notDetermined""#) }.contains("until") == false)
  }
}

@Test(
  .patient,
  arguments: [
    (.notDetermined, "denied for=3600"), (.notDetermined, "notDetermined for=3600"),
    (.notDetermined, "whenInUse for=59"), (.notDetermined, "always for=2592001"), (.notDetermined, "always for=2h"),
    (.always, "whenInUse for=3600"),
  ] as [(AuthorizationStatus, String)])
func `D6: the gateway refuses an end that has no meaning, or is out of range, or of a right without an end`(
  status: AuthorizationStatus, words: String
) async throws {
  try await Bench([record(status)]).run { bench in
    let owner = try await bench.owner()
    let reply = try await owner.reply(to: "SET parks status \(words)")
    #expect(reply.hasPrefix("-ERR 405 ") && reply.contains("without an end") == (status == .always), "\(reply)")
    #expect(await bench.status() == status)
  }
}

@Test(.patient) func `D6: a right ends while the machine is suspended, before the next input has an effect`()
  async throws
{
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.suspend(hour)
    let listed = try #require(try await owner.list("APPS").first)
    #expect(listed.contains(#""status":"notDetermined""#), "\(listed)")
    #expect(await bench.ends.count == 1)
  }
}

@Test(.patient) func `D6: without an input, the gateway notices a suspension within 30 s`() async throws {
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.suspend(hour)
    await bench.clock.pass(.seconds(30))
    #expect(await bench.ends.count == 1)
  }
}

@Test(.patient, arguments: [-86_400, 86_400]) func `D6: a change of the wall clock does not move the end`(seconds: Int)
  async throws
{
  try await Bench(confirmed()).run { bench in
    let owner = try await bench.owner()
    _ = try await owner.reply(to: "SET parks status always for=3600")
    bench.clock.set(bench.clock.reading.utc(at: bench.clock.now + .seconds(seconds)))
    await bench.clock.pass(hour - .seconds(1))
    #expect(await bench.status() == .always)
    // The end is saved again with the new time of the wall clock.
    let end = bench.clock.reading.utc(at: bench.clock.now + .seconds(1))
    #expect(try await owner.list("APPS").first?.contains(end.iso8601) == true)
    await bench.clock.pass(.seconds(1))
    #expect(await bench.status() == .notDetermined)
  }
}

@Test(.patient, arguments: [true, false])
func `D6: after another boot the right goes on only if the wall clock is right`(isWallClockSet: Bool) async throws {
  let folder = try TemporaryDirectory()
  let bench = try await Bench(confirmed(), in: folder)
  let owner = try await bench.owner()
  _ = try await owner.reply(to: "SET parks status always for=3600")
  await bench.stop()
  let again = try await Bench(in: folder, boot: "2", isWallClockSet: isWallClockSet)
  #expect(await again.status() == (isWallClockSet ? .always : .notDetermined))
  #expect(await again.ends.count == (isWallClockSet ? 0 : 1))
  if isWallClockSet {
    await again.clock.pass(hour)
    #expect(await again.status() == .notDetermined)
    #expect(await again.ends.count == 1)
  }
  await again.stop()
}
