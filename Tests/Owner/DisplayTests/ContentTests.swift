import Base
import LineProtocol
import OwnerScreens
import Testing

@testable import Display

private func app(_ change: (inout AppMessage) -> Void = { _ in }) -> AppMessage {
  var app = AppMessage()
  (app.app, app.name) = ("ferry", "Fähre 公園")
  change(&app)
  return app
}

private func content(
  _ status: ServerLine.Fields, prompts: [PromptMessage] = [], apps: [AppMessage] = [app()], served: String? = nil,
  in language: Language = .english
) -> DisplayContent {
  DisplayContent(status: status, prompts: prompts, apps: apps, served: served, in: language)
}

@Suite struct ContentTests {
  @Test func `a question has its text with the effects of the button, and the purpose in quotes`() {
    var prompt = PromptMessage()
    (prompt.prompt, prompt.app, prompt.name, prompt.text) = (3, "ferry", "Ferry", "Share? Press: once. Hold: no.")
    prompt.says = "To warn of shallows"
    let found = content(["prompt": "3"], prompts: [prompt]).question
    #expect(found?.prompt == 3)
    #expect(found?.paragraphs == ["Share? Press: once. Hold: no.", "Ferry says: “To warn of shallows”"])
    #expect(content(["prompt": "4"], prompts: [prompt]).question == nil)
  }

  @Test func `the app that the next press serves is named with its purpose`() {
    let next = app { ($0.isNext, $0.says) = (true, "To warn of shallows") }
    #expect(
      content([:], apps: [next, app { $0.armed = true }]).standing
        == ["Fähre 公園 waits: press the button", "Fähre 公園 says: “To warn of shallows”"])
    #expect(
      content([:], apps: [app { ($0.isNext, $0.isForEachPress) = (true, true) }]).standing
        == ["Fähre 公園 (each press) waits: press the button"])
    #expect(
      content(["next": "main:harbour,side:ferry,back:ferry"], apps: [app { $0.isNext = true }]).standing
        == ["Fähre 公園 waits: press the button side, back"], "on a board with several buttons")
  }

  @Test func `a press is new by its number, also if the clock of the machine changes`() {
    func id(_ number: String, _ time: String?) -> String? {
      var fields: ServerLine.Fields = ["last-press": "nothing-waiting", "last-press-number": number]
      fields["last-press-time"] = time
      return content(fields).notice?.id
    }
    #expect(id("7", "2026-11-21T07:31:34Z") == id("7", "2026-11-21T07:32:04Z") && id("7", nil) != id("8", nil))
  }

  @Test func `a served press names the app and the accuracy of the fix that it got`() {
    let fields: ServerLine.Fields = [
      "last-press": "served", "last-press-app": "ferry", "last-press-time": "2026-11-21T07:31:34Z",
    ]
    #expect(content(fields, served: "reduced").notice?.paragraphs == ["gave Fähre 公園 one fix", "approximate"])
    #expect(content(fields).notice?.paragraphs == ["gave Fähre 公園 one fix"])
    var partly = fields
    partly["last-press-failed"] = "https://maps.example.org"
    #expect(
      content(partly).notice?.paragraphs == ["gave Fähre 公園 one fix", "not delivered: maps.example.org"])
    #expect(content(["last-press": "nothing-waiting"]).notice?.paragraphs == ["no app waited"])
    #expect(content(["last-press": "of a later version"]).notice == nil)
  }

  @Test func `locked, not saved and a missing receiver are states, and idle is the gateway with its receiver`() {
    let locked = "locked; hold the button to unlock"
    let unsaved = "changes that are in force, but not saved: 2. A power cut undoes them."
    #expect(
      content(["locked": "true", "receiver": "absent"], apps: [app { $0.isNext = true }]).standing == [locked])
    for (status, lines) in [
      (["store-fault": "write,unsaved:2"], [unsaved]),
      (["locked": "true", "store-fault": "unsaved:2"], [locked, unsaved]),
      (["receiver": "absent"], ["Receiver: absent"]), (["receiver": "ready", "locked": "false"], []),
    ] as [(ServerLine.Fields, [String])] {
      #expect(content(status).standing == lines)
    }
    #expect(content([:], apps: [app { $0.updates = "background" }]).standing == ["Fähre 公園: in use in the background"])
    #expect(content(["gateway": "boat", "receiver": "ready", "fix": "3d"]).idle == ["boat", "Receiver: ready, 3D"])
  }

  @Test(arguments: [("served", ["Ferry", "reduced"]), ("denied", ["Ferry", nil])] as [(String, [String?])])
  func `the accuracy of a served press comes from the latest disclosure to its app, and of no other press`(
    outcome: String, expected: [String?]
  ) async throws {
    let read = try await DisplayReader(language: .english).read(from: PressedGateway(outcome: outcome))
    let fields: ServerLine.Fields = ["last-press": outcome, "last-press-app": "ferry"]
    let apps = [app { $0.name = expected[0] }]
    #expect(read == content(fields, apps: apps, served: expected[1]))
  }
}

/// A gateway whose button was pressed.
private struct PressedGateway: OwnerGateway {
  let outcome: String

  func pause() async throws {}

  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    func list(_ rows: String...) -> [ServerLine.Message] { rows.map { .init(topic: "owner", sid: "-", json: $0) } }
    func entry(_ number: Int, _ rest: String) -> String {
      #"{"entry":\#(number),"time":"2026-11-21T07:31:34Z","app":"ferry",\#(rest)}"#
    }
    return switch command {
    case .owner(.apps):
      (
        [:],
        list(
          """
          {"app":"ferry","name":"Ferry","status":"notDetermined","shown":"ask-next-time","provisional":false,\
          "confirmed":false,"accuracy":"full","sessions":1,"armed":false,"in-use":false}
          """)
      )
    case .owner(.log(since: nil, app: "ferry", limit: _, after: nil)):
      (
        [:],
        list(
          entry(1, #""event":"disclosure","accuracy":"full""#), entry(2, #""event":"disclosure","accuracy":"reduced""#),
          entry(3, #""event":"outcome","of":2,"outcome":"acknowledged""#))
      )
    default: (["last-press": outcome, "last-press-app": "ferry"], [])
    }
  }
}
