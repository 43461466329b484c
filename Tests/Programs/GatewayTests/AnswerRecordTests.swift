import Authorization
import LineProtocol
import Base
import ControlledBoard
import Glibc
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Testing

@testable import Gateway

extension Gateway {
  /// Handles an answer of an owner at a later time, before the alarm rings.
  fileprivate func answer(
    _ prompt: Int, _ choice: PromptChoice, after delay: Duration, _ connection: any ClientConnection
  ) throws {
    try submit { router, now in
      let instant = now.monotonic + delay
      _ = try router.execute(
        .owner(.answer(prompt: prompt, choice, accuracy: nil, on: PromptDisplay())), tag: nil, on: connection,
        at: ClockReading(monotonic: instant, utc: now.utc(at: instant)))
    }
  }
}

@Test(.patient)
func `the log has each answer with the purpose as it was shown, the language, the choice and the user`() async throws {
  try await Bench().run { bench, app, owner in
    try await app.reply(to: #"AUTHORIZE when-in-use purpose=To find "parks""#)
    #expect(try await owner.next("MSG owner/prompt").contains(#""says":"To find 'parks'""#))
    #expect(try await owner.reply(to: "ANSWER 1 while-using accuracy=reduced language=de") == "+OK")
    let answer = AnswerEntry(
      app: parks, prompt: .authorize, choice: .whileUsing, accuracy: .reduced, purpose: "To find 'parks'",
      language: "de", way: .socket(user: geteuid()))
    #expect(await bench.answers == [answer])
    #expect(await app.received.allSatisfy { !$0.contains(#""event":"answer""#) })
  }
}

@Test(.patient, arguments: [("console", AnswerWay.console), ("page", .page)])
func `an answer on a display of the gateway is recorded with the display`(name: String, way: AnswerWay) async throws {
  try await Bench().run { bench, app, owner in
    try await app.reply(to: "AUTHORIZE when-in-use")
    #expect(try await owner.reply(to: "ANSWER 1 no surface=\(name)") == "+OK")
    let answer = AnswerEntry(
      app: parks, prompt: .authorize, choice: .no, accuracy: nil, purpose: nil, language: "en", way: way)
    #expect(await bench.answers == [answer])
  }
}

@Test(.patient)
func `a prompt that closes without an answer has no entry in the log`() async throws {
  try await Bench().run { bench, app in
    try await app.reply(to: "AUTHORIZE when-in-use")
    try await app.reply(to: "CANCEL")
    try await app.reply(to: "AUTHORIZE when-in-use")
    await bench.clock.pass(.seconds(61))
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient, arguments: [true, false])
func `an answer by the button has a purpose and a language only if a display shows the text`(showsText: Bool)
  async throws
{
  try await Bench(policy: Policy { $0.hasPromptDisplay = showsText }).run { bench, talker in
    try await talker.reply(to: "AUTHORIZE when-in-use purpose=Find parks")
    await bench.clock.pass(.milliseconds(1500))
    _ = await bench.button.press(for: .milliseconds(3200))
    await bench.pass { $0.router.disclosures.log.entries(newest: 1).count == 1 }
    let answer = try #require(await bench.answers.first)
    #expect(answer.way == .button && answer.choice == .no)
    #expect(answer.purpose == (showsText ? "Find parks" : nil) && answer.language == (showsText ? "en" : nil))
  }
}

@Test(.patient)
func `an owner who answers after the time of a double press learns that the first press has answered`() async throws {
  try await Bench(policy: Policy { $0.hasPromptDisplay = true }).run { bench, talker in
    try await talker.reply(to: "AUTHORIZE when-in-use")
    await bench.pressInTime()
    await bench.clock.pass(.milliseconds(100))
    let owner = RecordingConnection(role: .owner)
    let refusal = try await #require(throws: LineError.self) { () async throws in
      try await bench.gateway.answer(1, .no, after: .milliseconds(450), owner)
    }
    #expect(refusal.code == .expired)
    let answer = try #require(await bench.answers.first)
    #expect(answer.choice == .once && answer.way == .button && answer.language == "en")
    await bench.clock.pass(.seconds(1))
    #expect(await bench.log.count == 1)
  }
}

@Test(.patient)
func `an answer by the button is in the log before the disclosure that it permits`() async throws {
  try await Bench().run { bench, talker in
    try await talker.reply(to: "REQ once purpose=Find parks")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    _ = try await talker.next("MSG fix/once")
    let log = await bench.log.map(\.event)
    let answer = AnswerEntry(
      app: parks, prompt: .confirm, choice: .yes, accuracy: nil, purpose: nil, language: nil, way: .button)
    #expect(log.first == .answer(answer))
    guard log.count > 1, case .disclosure = log[1] else { throw Missing() }
  }
}
