import Authorization
import Base
import ControlledBoard
@testable import Gateway
import LineProtocol
@testable import StateStore
import Requirements
import Testing

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
    try await zoo.reply(to: "REQ once")
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
  "confirmed":false,"accuracy":"full","sessions":1,"armed":true,"next":true,"in-use":false}
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
    try await app.reply(to: "AUTHORIZE when-in-use")
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
