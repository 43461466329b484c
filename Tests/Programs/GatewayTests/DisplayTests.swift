import Authorization
import Base
import ControlledBoard
import LineProtocol
import Requirements
import SimulatedHardware
import StateStore
import Testing

@testable import Gateway

private let withDisplay = Policy { $0.display = DisplayModule(bus: "/dev/i2c-1") }

extension Bench {
  /// Connects the program of a display, which has no subscription.
  fileprivate func display() async throws -> Talker { try await Talker.connect(folder + "/o", "HELLO 1") }

  /// Presses twice, so fast that both presses can be a double press.
  fileprivate func pressTwice() async {
    for _ in 0..<2 {
      _ = await button.press(for: .milliseconds(40))
      await clock.pass(.milliseconds(40))
    }
  }

  /// The choice of the first answer in the log.
  fileprivate var choice: PromptChoice? {
    get async {
      await pass { $0.router.disclosures.log.entries(newest: 1).count == 1 }
      return await answers.first?.choice
    }
  }
}

extension Talker {
  /// Reports a frame.
  fileprivate func show(prompt: Int?, at instant: MonotonicInstant) async throws -> String {
    try await reply(to: "DISPLAY frame=\(instant.nanoseconds)" + (prompt.map { " prompt=\($0)" } ?? ""))
  }
}

@Suite struct DisplayTests {
  @Test(arguments: [(0, true), (999_999_999, true), (1_000_000_000, false), (-1, false)])
  func `a frame counts from the start of its transmission until it is a second old`(age: Int, isFresh: Bool) {
    let shown = MonotonicInstant(nanoseconds: 5_000_000_000)
    #expect(DisplayedFrame(shown: shown).isFresh(at: shown + .nanoseconds(age)) == isFresh)
  }

  @Test(
    .patient,
    arguments: [
      (Duration.zero, Int?.some(1), PromptChoice.whileUsing), (.milliseconds(800), 1, .whileUsing),
      // The frame is too old, of another prompt, of no prompt, or of the future.
      (.milliseconds(1000), 1, .once), (.zero, 2, .once), (.zero, nil, .once), (.milliseconds(-500), 1, .once),
    ])
  func `a double press counts only if a frame with the whole text is younger than a second`(
    age: Duration, prompt: Int?, expected: PromptChoice
  ) async throws {
    try await Bench(policy: withDisplay).run { bench in
      let (app, display) = (try await bench.app(), try await bench.display())
      try await app.reply(to: "AUTHORIZE when-in-use purpose=Find parks")
      await bench.clock.pass(.milliseconds(2100))
      #expect(try await display.show(prompt: prompt, at: bench.clock.now - age).hasPrefix("+OK"))
      await bench.pressTwice()
      #expect(await bench.choice == expected)
      let isShown = expected == .whileUsing
      #expect(await bench.answers.map(\.purpose) == [isShown ? "Find parks" : nil])
      #expect(await bench.answers.map(\.language) == [isShown ? "en" : nil])
    }
  }

  @Test(.patient)
  func `the end of the connection of a display ends its text at once`() async throws {
    try await Bench(policy: withDisplay).run { bench in
      let (app, display) = (try await bench.app(), try await bench.display())
      try await app.reply(to: "AUTHORIZE when-in-use")
      await bench.clock.pass(.milliseconds(2100))
      _ = try await display.show(prompt: 1, at: bench.clock.now)
      try await display.reply(to: "BYE")
      await bench.until { $0.router.owners.count == 0 }
      await bench.pressTwice()
      #expect(await bench.choice == .once)
    }
  }

  @Test(.patient)
  func `the text of a prompt names the double press while a display acknowledges frames`() async throws {
    try await Bench(policy: withDisplay).run { bench in
      let (app, display) = (try await bench.app(), try await bench.display())
      try await app.reply(to: "AUTHORIZE when-in-use")
      await bench.clock.pass(.milliseconds(2100))
      func namesDoublePress() async throws -> Bool {
        try await display.list("PROMPTS").contains { $0.contains("Press twice") }
      }
      #expect(try await !namesDoublePress())
      _ = try await display.show(prompt: nil, at: bench.clock.now)
      #expect(try await namesDoublePress())
      await bench.clock.pass(.seconds(1))
      #expect(try await !namesDoublePress())
    }
  }

  @Test(.patient)
  func `without a configured display no program can report a frame, and an app never can`() async throws {
    try await Bench().run { bench in
      let (app, display) = (try await bench.app(), try await bench.display())
      #expect(try await display.show(prompt: 1, at: bench.clock.now).hasPrefix("-ERR 403"))
      #expect(try await app.reply(to: "DISPLAY").hasPrefix("-ERR 432"))
    }
  }

  @Test(.patient)
  func `the reply has the settings of the display and the language`() async throws {
    try await Bench(policy: withDisplay).run { bench in
      let reply = try await bench.display().reply(to: "DISPLAY")
      for field in ["bus=/dev/i2c-1", "address=0x3c", "controller=ssd1306", "height=64", "language=en"] {
        #expect(reply.contains(field), "\(reply)")
      }
    }
  }

  @Test(.patient)
  func `owners learn of a down edge before the release`() async throws {
    try await Bench(policy: withDisplay).run { bench in
      let display = try await bench.display()
      try await display.reply(to: "SUB owner/button edge")
      _ = await bench.button.press(for: .milliseconds(40))
      #expect(try await display.next("MSG owner/button edge ") == #"MSG owner/button edge {"button":"main"}"#)
    }
  }
}
