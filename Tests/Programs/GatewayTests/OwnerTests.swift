import Authorization
import Base
import ControlledBoard
import Decoding
import Disclosure
import GNSS
import Hardware
import LineProtocol
import OneFixClient
import Ports
import RecordingClients
import Requirements
import Synchronization
import Testing

@testable import Gateway
@testable import StateStore

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

extension Gateway {
  /// The arrival of the receiver's latest fix.
  fileprivate var latestArrival: MonotonicInstant? { router.receiver.latest?.arrived }
}

@Test(.patient)
func `a fix is fresh in the status until two seconds after its arrival, and then old`() async throws {
  try await Bench().run { bench in
    await bench.receive(epoch)
    let arrived = try #require(await bench.gateway.latestArrival)
    await bench.clock.pass(arrived + .seconds(2) - bench.clock.now)
    #expect(await bench.gateway.ownerStatus["fix-age"] == "fresh")
    await bench.clock.pass(.nanoseconds(1))
    #expect(await bench.gateway.ownerStatus["fix-age"] == "old")
  }
}

@Test(.patient)
func `the status has a count of sentences only after data from the receiver`() async throws {
  try await Bench().run { bench in
    #expect(await bench.gateway.ownerStatus["frames"] == nil)
    await bench.receive(epoch)
    #expect(await bench.gateway.ownerStatus["frames"] == "6")
  }
}

@Test(.patient)
func `an owner ends a subscription, and gets a reply`() async throws {
  try await Bench().run { bench in
    let owner = try await bench.owner()
    #expect(try await owner.reply(to: "SUB owner/log a").hasPrefix("+OK"))
    #expect(try await owner.reply(to: "UNSUB a") == "+OK")
    #expect(try await owner.reply(to: "UNSUB a").hasPrefix("-ERR 405 "))
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
func `while the panel draws the prompt, its text mentions the double press`() async throws {
  let bench = try await Bench()
  let client = try await bench.client("ferry")
  _ = try await client.perform(.authorize(.whenInUse, purpose: nil))
  let asked = try #require(await bench.gateway.snapshot(entries: 0).question)
  #expect(asked.text == "Share this location with ferry?" && asked.ways == ["Press: once.", "Hold: no."])
  await bench.gateway.panelIsDrawn(true)
  let drawn = try #require(await bench.gateway.snapshot(entries: 0).question)
  #expect(drawn.text == asked.text && drawn.ways == ["Press: once. Press twice: while using.", "Hold: no."])
  await bench.gateway.panelIsDrawn(false)
  #expect(await bench.gateway.snapshot(entries: 0).question?.ways == asked.ways)
  await client.close()
  await bench.stop()
}

@Test(.patient)
func `a panel that draws again without a change causes no further change`() async throws {
  let bench = try await Bench()
  let changes = await bench.gateway.changes()
  await bench.gateway.panelIsDrawn(true)
  let counting = Task {
    var iterator = changes.makeAsyncIterator()
    let first: Void? = await iterator.next()
    await bench.gateway.panelIsDrawn(true)
    // In a cancelled task the iterator returns a change that has already happened, and waits for no other one. The task
    // is valid during the closure.
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    let second: Void? = await iterator.next()
    return (first != nil, second != nil)
  }
  let (first, second) = await counting.value
  #expect(first && !second)
  await bench.stop()
}

/// Replaces the parts of a message that differ from run to run.
private func masked(_ line: String) -> String {
  line.replacing(/"20\d\d-[-0-9T:.]+Z?"/, with: "TIME").replacing(/"uid \d+"/, with: "PEER")
    .replacing(/"(session|age_ms|left_ms|user)":\d+/, with: { "\"\($0.1)\":N" })
}

@Test(.patient)
func `the messages to owners have these fields in this order`() async throws {
  try await Bench([
    record(.always), record(.whenInUse, of: "other", accuracy: .reduced), record(.notDetermined, of: "zoo"),
  ]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("other"), try await bench.owner())
    let zoo = try await bench.app("zoo")
    try await app.reply(to: "START updates")
    try await zoo.reply(to: "AUTHORIZE when-in-use purpose=To see \"you\"")
    try await zoo.reply(to: "REQ once purpose=To find “fuel”")
    try await other.register(text: "Über 公園")
    try await app.register("bay")
    await bench.stand(north: 3000)
    await bench.stand(north: 0)
    var told: [String] = []
    for command in [
      "PLACE ADD harbour 300 47.3766666667 8.5416666667", "APPS", "PROMPTS", "SESSIONS", "REGIONS", "PLACE LIST",
      "ANSWER 1 once accuracy=reduced", "LOG",
    ] {
      told += try await owner.list(command)
    }
    told += await owner.received.filter { $0.contains(" news ") && !$0.contains("owner/apps") }
    told += try await owner.list("METRICS").prefix(1)
    let lines = told.map { masked(String($0.dropFirst("MSG owner/".count))) }
    #expect(lines.joined(separator: "\n") == messages)
  }
}

private let messages = #"""
  apps - {"app":"other","name":"other","status":"whenInUse","shown":"while-using","provisional":false,\#
  "confirmed":false,"accuracy":"reduced","sessions":1,"armed":false,"in-use":false}
  apps - {"app":"parks","name":"parks","status":"always","shown":"always","provisional":false,"confirmed":false,\#
  "accuracy":"full","sessions":1,"armed":false,"in-use":false,"updates":"background"}
  apps - {"app":"zoo","name":"zoo","status":"notDetermined","shown":"when-i-share","provisional":false,\#
  "confirmed":false,"accuracy":"full","sessions":1,"armed":true,"next":true,"in-use":false,"says":"To find 'fuel'"}
  prompt - {"prompt":1,"app":"zoo","kind":"authorize","name":"zoo","text":"Share this location with zoo? The next \#
  press is for zoo. Hold: stop all sharing.","choices":"once,while-using,no","accuracies":"full,reduced,place",\#
  "says":"To see 'you'","state":"open","press":"serves","press-app":"zoo","age_ms":N,"left_ms":N}
  sessions - {"session":N,"app":"parks","transport":"unix","peer":PEER,"since":TIME,"armed":false,"in-use":false,\#
  "updates":"background"}
  sessions - {"session":N,"app":"other","transport":"unix","peer":PEER,"since":TIME,"armed":false,"in-use":false}
  sessions - {"session":N,"app":"zoo","transport":"unix","peer":PEER,"since":TIME,"armed":true,"in-use":false}
  regions - {"app":"other","id":"home","radius":200.0,"events":"enter,exit","state":"inside","text":"Über 公園"}
  regions - {"app":"parks","id":"bay","radius":200.0,"events":"enter,exit","state":"inside","text":"Buy milk"}
  places - {"name":"harbour","radius":300.0,"apps":""}
  log - {"entry":1,"time":TIME,"app":"zoo","event":"answer","accuracy":"reduced","kind":"authorize","choice":"once",\#
  "says":"To see 'you'","language":"en","by":"socket","user":N}
  prompt news {"prompt":1,"app":"zoo","kind":"authorize","name":"zoo","text":"Share this location with zoo? Press: \#
  once. Hold: no, and stop all sharing.","choices":"once,while-using,no","accuracies":"full,reduced,place",\#
  "says":"To see 'you'","state":"open","press":"answers","age_ms":N,"left_ms":N}
  prompt news {"prompt":1,"app":"zoo","kind":"authorize","name":"zoo","text":"Share this location with zoo? The \#
  next press is for zoo. Hold: stop all sharing.","choices":"once,while-using,no","accuracies":"full,reduced,place",\#
  "says":"To see 'you'","state":"open","press":"serves","press-app":"zoo","age_ms":N,"left_ms":N}
  notification news {"app":"other","name":"other","region":"home","event":"enter","says":"Über 公園","time":TIME}
  prompt news {"prompt":1,"app":"zoo","kind":"authorize","name":"zoo","text":"Share this location with zoo? The \#
  button does not answer this. Hold: stop all sharing.","choices":"once,while-using,no","accuracies":"full,reduced,\#
  place","says":"To see 'you'","state":"yes","by":"owner"}
  metrics - {"line":"# TYPE onefix_build_info gauge"}
  """#

@Test(.patient)
func `an open prompt has the time left to answer it: first at the button, and then in any way`() async throws {
  try await Bench([record(.notDetermined)]).run { bench, app, owner in
    #expect(try await !owner.reply(to: "STATUS").contains("indicator-pattern="))
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(try await owner.reply(to: "STATUS").contains(" indicator-pattern=120,120,120,640 "))
    func prompt() async throws -> PromptMessage {
      let line = try #require(try await owner.list("PROMPTS").first)
      return try #require(PromptMessage(json: String(line.drop { $0 != "{" })))
    }
    var seen: [(press: String?, age: Int, left: Int)] = []
    for _ in 0..<2 {
      for _ in 0..<3 {
        let prompt = try await prompt()
        seen.append((prompt.press, try #require(prompt.age), try #require(prompt.left)))
        await bench.clock.pass(.seconds(3))
      }
      await bench.clock.pass(.seconds(3))
    }
    let (atButton, later) = (seen.prefix(3), seen.suffix(3))
    #expect(atButton.allSatisfy { $0.press == "answers" && $0.age + $0.left == 10_000 }, "\(seen)")
    #expect(later.allSatisfy { $0.press == "otherwise" && $0.age + $0.left == 60_000 }, "\(seen)")
    #expect(seen.map(\.age) == seen.map(\.age).sorted())
  }
}

private let ferry = AppID("ferry")!
private let disclosure = DisclosureEntry(
  app: ferry, accuracy: .full, right: .once, transport: "unix", isSimulated: false)
private let late = DisclosureEntry(
  app: ferry, accuracy: .reduced, right: .whenInUse, transport: "mqtt", isSimulated: true, isLate: true)
private let byButton = AnswerEntry(
  app: ferry, prompt: .confirm, choice: .yes, accuracy: nil, purpose: nil, language: nil, way: .button)
private let byOwner = AnswerEntry(
  app: ferry, prompt: .authorize, choice: .once, accuracy: .place, purpose: "To \u{1}", language: "de",
  way: .socket(user: .max))

@Test(
  arguments: [
    (.disclosure(disclosure), #""event":"disclosure","accuracy":"full","right":"once","transport":"unix""#),
    (
      .interval(late),
      #""event":"interval","accuracy":"reduced","right":"whenInUse","transport":"mqtt","simulated":true,"#
        + #""late":true"#
    ),
    (.outcome(.acknowledged, of: 1), #""event":"outcome","of":1,"outcome":"acknowledged""#),
    (.end(.outOfUse, fixes: 12, of: 3), #""event":"end","of":3,"outcome":"outOfUse","fixes":12"#),
    (.end(.lost, fixes: nil, of: 3), #""event":"end","of":3,"outcome":"lost""#),
    (.answer(byButton), #""event":"answer","kind":"confirm","choice":"yes","by":"button""#),
    (
      .answer(byOwner),
      #""event":"answer","accuracy":"place","kind":"authorize","choice":"once","says":"To \u0001","#
        + #""language":"de","by":"socket","user":4294967295"#
    ),
  ] as [(LogEntry.Event, String)])
func `an entry of the log has these fields in this order for owners`(event: LogEntry.Event, members: String) throws {
  let time = try #require(UTCTime(iso8601: "2026-11-21T07:31:34.200Z"))
  let entry = LogEntry(sequence: 4, time: time, app: ferry, event: event)
  #expect(entry.json == #"{"entry":4,"time":"2026-11-21T07:31:34.200Z","app":"ferry",\#(members)}"#)
}

@Test
func `a fault of the log and a count of requests have these fields in this order for owners`() {
  let anchor = "the anchor of the log is missing: removal of the last entries cannot be detected"
  #expect(LogFault.anchorMissing.json == #"{"fault":"anchor-missing","text":"\#(anchor)"}"#)
  #expect(LogFault.changed(7).json == #"{"fault":"changed","entry":7,"text":"entry #7 was changed or moved"}"#)
  let count = AnswerKey(period: "2026-11-21", app: ferry, answer: "denied").json(count: 2)
  #expect(count == #"{"day":"2026-11-21","app":"ferry","answer":"denied","count":2}"#)
  let hour = AnswerKey(period: "2026-11-21T07", app: ferry, answer: "denied").json(count: 2)
  #expect(hour == #"{"day":"2026-11-21","hour":7,"app":"ferry","answer":"denied","count":2}"#)
}

@Test(.patient)
func `the status text does not depend on a fix, on apps or on presses`() async throws {
  let told = Mutex<[String]>([])
  let bench = try await Bench(
    confirmed(),
    tellStatus: { line, _ in
      told.withLock { $0.append(line) }
      return true
    })
  #expect(await bench.gateway.currentStatus() == "running")
  let app = try await bench.app()
  #expect(try await app.reply(to: "REQ once") == "+OK state=awaiting-press")
  await bench.pressInTime()
  for second in 1..<8 { await bench.receiver.send(second: second, satellites: 10 + second % 2) }
  _ = try await app.next("MSG fix/once")
  await bench.clock.pass(StatusReporter.pause)
  #expect(told.withLock(\.self) == [])
  // A lock changes the text. The next change is reported when the pause has passed.
  await bench.gateway.handle(.lockOrdered)
  await bench.gateway.handle(.held(Hold(button: "main", down: bench.clock.now, multiple: 1)))
  #expect(told.withLock(\.self) == ["running; locked"])
  await bench.clock.pass(StatusReporter.pause)
  #expect(told.withLock(\.self) == ["running; locked", "running"])
  #expect(await bench.gateway.currentStatus() == "running")
  await bench.stop()
}
