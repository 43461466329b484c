import Display
import EmulatedDisplay
import Foundation
import LineProtocol
import OneFixClient
import Requirements
import Testing

private let configuration = """
  language = "de"
  [display]
  bus = "/dev/i2c-1"
  [[button]]
  name = "main"
  double_press_ms = 1000

  """

/// The program of a display in this process, with an emulated module.
private final class Screen: Sendable {
  let port = EmulatedDisplayPort(DisplayModule(bus: "/dev/i2c-1"))
  let reports: Observed<[DisplayProgram.Report]>
  private let task: Task<Void, Never>

  init(_ daemon: Daemon) throws {
    let (owners, font) = (daemon.ownerSocket, try FontFile())
    let (port, found) = (port, Observed<[DisplayProgram.Report]>([]))
    reports = found
    task = Task {
      await DisplayProgram(
        owners: .unix(owners), font: font, open: { ModuleOutput($0, port) },
        report: { report in found.change { $0.append(report) } },
        sleepForAnswer: { _ in try await waitForCancellation() }
      ).run()
    }
  }

  /// Waits until the module has shown all pages of a text, the first page again, and one more frame.
  func showsWholeText() async throws {
    let frames = try await eventually("all pages of the question") { () -> Int? in
      let pictures = port.pictures.drop { $0 == Picture(height: 64) }
      guard pictures.count >= 3, let last = pictures.last, pictures.dropLast(2).contains(last) else { return nil }
      return port.frames
    }
    _ = try await eventually("a further frame") { port.frames > frames ? true : nil }
  }

  func stop() async {
    task.cancel()
    await task.value
  }
}

@Suite(
  .patient(.seconds(120)),
  .needs("apt-get install unifont", FileManager.default.fileExists(atPath: FontFile.standardPath)))
struct DisplayTests {
  /// Asks, and returns the permanent right of the app after two presses that follow the whole text on the display.
  private func pressed(
    _ daemon: Daemon, _ screen: Screen, before press: () async throws -> Void
  ) async throws -> String? {
    let (app, owner) = (try await Peer.connected(daemon), try await Peer.owner(daemon))
    let watcher = try await Peer.owner(daemon, "SUB owner/prompt asked")
    _ = try await app.reply(to: "AUTHORIZE when-in-use")
    try await screen.showsWholeText()
    try await press()
    _ = try await eventually("an answer by the button") {
      // Both presses are in one write, so that only the daemon's own time lies between them.
      owner.write("PRESS ms=60\nPRESS ms=60")
      for _ in 0..<2 { _ = try await owner.next("+OK") }
      return watcher.received("MSG owner/prompt asked").first { !$0.contains(#""state":"open""#) }
    }
    let shown = try await daemon.onefix("show", "peer", "--json").output.joined()
    return shown.firstMatch(of: /"status":"(\w+)"/).map { String($0.1) }
  }

  @Test func `after a display has shown the whole question, a double press answers "while using"`() async throws {
    // On a busy machine the second press can be too late. The loop then tries again.
    for _ in 0..<5 {
      var status: String?
      try await Daemon.with(configuration: configuration) { daemon in
        let screen = try Screen(daemon)
        status = try await pressed(daemon, screen) {}
        await screen.stop()
        #expect(screen.port.pictures.last == Picture(height: 64), "the end of the program switches the display off")
      }
      if status == "whenInUse" { return }
    }
    Issue.record("no double press was recognised")
  }

  @Test(arguments: [(0, "no display answers"), (17, "no display answers"), (17, "the bus is stuck")])
  func `a display that is unplugged, also in mid-frame, or on a stuck bus counts no longer, and works again later`(
    transactions: Int, cause: String
  ) async throws {
    try await Daemon.with(configuration: configuration) { daemon in
      let screen = try Screen(daemon)
      let failure = DisplayProgram.Report.failed("cannot write emulated: \(cause)")
      func namesDoublePress() async throws -> Bool {
        let owner = try await Peer.owner(daemon)
        _ = try await owner.reply(to: "PROMPTS")
        let isNamed = owner.received("MSG owner/prompt - ").contains { $0.contains("Zweimal") }
        try await owner.disconnect()
        return isNamed
      }
      let status = try await pressed(daemon, screen) {
        // The question names it while the latest frame is younger than 1 s.
        _ = try await eventually("the prompt with the double press") { try await namesDoublePress() ? true : nil }
        screen.port.fail(after: transactions, cause)
        _ = try await screen.reports.first("the failure") { $0.contains(failure) ? true : nil }
        // The gateway learns of the failure by the end of the connection.
        _ = try await eventually("the prompt without the double press") { try await namesDoublePress() ? nil : true }
      }
      #expect(status == "notDetermined")
      // The program tries again, and reports the same failure only once.
      _ = try await eventually("further attempts") { screen.port.failures > 2 ? true : nil }
      #expect(screen.reports.value.count { $0 == failure } == 1)
      screen.port.plug()
      _ = try await screen.reports.first("the module again") {
        $0.count { $0 == .opened(bus: "/dev/i2c-1") } > 1 ? true : nil
      }
      await screen.stop()
    }
  }

  @Test func `in a terminal the frames are drawn, and the gateway does not count them`() async throws {
    try await Daemon.with(configuration: configuration) { daemon in
      let display = try daemon.begin("display", "--terminal")
      try await display.printed("\u{1B}[H")
      _ = try await daemon.press()
      try await display.printed("█")
      // The question names the double press only if frames count, and the program reports a frame only after its lines.
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "AUTHORIZE when-in-use")
      let question = { () async throws -> String in try await daemon.onefix("prompts", "--json").output.joined() }
      _ = try await eventually("a question that the button answers") {
        try await question().contains("Drücken: einmal.") ? true : nil
      }
      let lines = display.output.value.lines.count
      _ = try await display.output.first("three more frames of 32 lines") { $0.lines.count >= lines + 96 ? true : nil }
      let prompts = try await question()
      #expect(prompts.contains("Drücken: einmal.") && !prompts.contains("Zweimal"), "\(prompts)")
      display.kill(SIGTERM)
      #expect(try await display.finish().end == .exit(128 + SIGTERM))
    }
  }

  @Test func `at a gateway without a display the program reports the remedy`() async throws {
    try await Daemon.with { daemon in
      let screen = try Screen(daemon)
      let report = try await screen.reports.first("a failure") { $0.first }
      #expect(report == .failed("this gateway has no display (add [display] to onefix.toml)"))
      await screen.stop()
    }
  }

  @Test func `without a font the program ends with a remedy`() async throws {
    try await Daemon.with(configuration: configuration) { daemon in
      let finished = try await daemon.onefix("display", "--font", "/nowhere/unifont.hex")
      #expect(finished.end == .exit(1))
      #expect(
        finished.errors == [
          "onefix: cannot read glyphs from /nowhere/unifont.hex: no such file or directory (install the Debian package "
            + "unifont)"
        ])
    }
  }

  @Test func `after a reload with another language, the display shows its text in this language`() async throws {
    try await Daemon.with(configuration: configuration) { daemon in
      let screen = try Screen(daemon)
      func text(except former: Picture? = nil) async throws -> Picture {
        try await eventually("another text") {
          screen.port.pictures.last.flatMap { $0 == Picture(height: 64) || $0 == former ? nil : $0 }
        }
      }
      try await daemon.onefix("lock")
      let german = try await text()
      _ = try daemon.folder.write(
        configuration.replacing(#""de""#, with: #""en""#) + "\n" + Daemon.configuration, to: "onefix.toml")
      #expect(try await daemon.onefix("reload").end == .exit(0))
      _ = try await text(except: german)
      await screen.stop()
    }
  }
}
