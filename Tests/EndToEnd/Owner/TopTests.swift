import Foundation
import Glibc
import Testing

/// `onefix top` on a terminal at the end of a serial line.
@Suite struct TopTests {
  /// Bytes per second at 9600 baud: ten bits per byte, with the start and stop bit.
  private static let slow = 960
  private static let fast = 1_000_000

  private func begin(
    _ socket: String, _ line: SerialLine, rows: Int = 24, columns: Int = 80, baud: Int = 115_200,
    environment: [String: String] = [:]
  ) async throws -> Child {
    try await stty(line.path, "\(baud)", "rows", "\(rows)", "cols", "\(columns)")
    return try Child(
      "/bin/sh", ["-c", "exec \"$0\" top --socket \"$1\" <\"$2\" >\"$2\"", Program.onefix, socket, line.path],
      environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
  }

  /// Runs `onefix top` while a body runs, and then ends it.
  private func withTop(
    speed: Int = Self.fast, rows: Int = 24, columns: Int = 80, baud: Int = 115_200,
    _ body: (Daemon, SerialLine, Child) async throws -> Void
  ) async throws {
    try await Daemon.with { daemon in
      let line = try SerialLine(speed: speed)
      let top = try await begin(daemon.socket, line, rows: rows, columns: columns, baud: baud)
      try await body(daemon, line, top)
      line.type("q")
      #expect(try await top.finish().end == .exit(0))
    }
  }

  @Test
  func `at 9600 baud the screen appears within seconds, a question can be answered, and the line is not saturated`()
    async throws
  {
    try await withTop(speed: Self.slow, baud: 9600) { daemon, line, _ in
      let before = ContinuousClock.now
      try await line.shows("simulated")
      let request = try await daemon.request("--app", "peer", "--purpose", "Find parks")
      try await line.shows("Waiting: peer (next press)")
      // A press serves the app only after the app has had the mark for one second. A second press would answer.
      try await passSecond(daemon)
      line.type(" ")
      // The choices appear after the question.
      let asked = try await line.shows("1 Yes   2 ")
      // The gateway accepts no answer before the question was shown, so the key is pressed until the request ends.
      let end = try await eventually("the end of the request") {
        line.type("1")
        return try? await request.end.first("its end", within: .milliseconds(500)) { $0 }
      }
      #expect(end == .exit(0))
      #expect(asked.contains { $0.hasPrefix("1 Yes   2 ") })
      #expect(asked.contains { $0.contains("peer says: “Find parks”") }, "\(asked)")
      let screen = try await line.shows("#2 arrived")
      #expect(screen[0].contains("OneFix") && !screen.joined().contains("47.3") && !screen.joined().contains("8.5416"))
      // The number of written bytes is at most the capacity of the line, so the terminal is not behind.
      let seconds = (ContinuousClock.now - before) / .seconds(1)
      #expect(Double(line.bytes.value.count) < seconds * Double(Self.slow))
    }
  }

  /// Returns when the receiver has reported three epochs. They take at least one second, because the simulated receiver
  /// reports one epoch in a second, and reports none more than one second late.
  private func passSecond(_ daemon: Daemon) async throws {
    func epochs() async throws -> Int {
      let metrics = try await daemon.onefix("metrics").output
      let line = metrics.first { $0.hasPrefix("onefix_receiver_epochs_total ") }
      return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }
    let before = try await epochs()
    _ = try await eventually("three epochs") { try await epochs() >= before + 3 ? true : nil }
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `a signal ends onefix top, and the terminal's settings are restored`(signal: Int32) async throws {
    try await Daemon.with { daemon in
      let line = try SerialLine(speed: Self.fast)
      try await stty(line.path, "115200", "rows", "24", "cols", "80")
      let before = try await stty(line.path)
      let top = try await begin(daemon.socket, line)
      try await line.shows("simulated")
      #expect(try await stty(line.path) != before)
      top.kill(signal)
      #expect(try await top.finish().end == .exit(128 + signal))
      #expect(try await stty(line.path) == before)
      let end = Array("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\r\n".utf8)
      _ = try await line.bytes.first("the cursor to be back") { $0.suffix(end.count).elementsEqual(end) ? true : nil }
    }
  }

  @Test(arguments: [false, true])
  func `onefix top stops for the shell and continues, with the right terminal settings for each`(isByKey: Bool)
    async throws
  {
    try await Daemon.with { daemon in
      let line = try SerialLine(speed: Self.fast)
      try await stty(line.path, "115200", "rows", "24", "cols", "80")
      let before = try await stty(line.path)
      let top = try await begin(daemon.socket, line)
      try await line.shows("simulated")
      for _ in 0..<2 {
        if isByKey { line.type("\u{1A}") } else { top.kill(SIGTSTP) }
        _ = try await eventually("the process to be stopped") {
          let status = try String(contentsOfFile: "/proc/\(top.pid)/stat", encoding: .utf8)
          return status.contains(") T ") ? true : nil
        }
        #expect(try await stty(line.path) == before)
        let shown = line.bytes.value.count
        top.kill(SIGCONT)
        _ = try await line.bytes.first("the whole screen again") { bytes in
          String(decoding: bytes[shown...], as: UTF8.self).contains("simulated") ? true : nil
        }
        #expect(try await stty(line.path) != before)
      }
      line.type("q")
      #expect(try await top.finish().end == .exit(0))
      #expect(try await stty(line.path) == before)
    }
  }

  @Test func `onefix top works on a terminal that its user may not open again, as after su`() async throws {
    try await Daemon.with { daemon in
      let line = try SerialLine(speed: Self.fast)
      try await stty(line.path, "115200", "rows", "24", "cols", "80")
      // Root may open every file, except without this capability.
      let wrapper = geteuid() == 0 ? "setpriv --bounding-set=-dac_override" : ""
      let script = """
        exec <>"$2" >&0
        chmod 0 "$2"
        exec \(wrapper) "$0" top --socket "$1"
        """
      let top = try Child(
        "/bin/sh", ["-c", script, Program.onefix, daemon.socket, line.path],
        environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm"])
      try await line.shows("simulated")
      line.type("q")
      #expect(try await top.finish().end == .exit(0))
    }
  }

  @Test func `a window that changes its size is drawn again, and a line without a size is queried`() async throws {
    try await withTop(rows: 0, columns: 0) { _, line, top in
      _ = try await line.bytes.first("the question for the size") { bytes in
        String(decoding: bytes, as: UTF8.self).contains("\u{1B}[999;999H\u{1B}[6n") ? true : nil
      }
      try await line.shows("simulated")
      line.type("\u{1B}[30;100R")
      _ = try await eventually("the title over a hundred columns") {
        try await line.screen(30, 100)[0].count == 99 ? true : nil
      }
      try await stty(line.path, "rows", "12", "cols", "40")
      top.kill(SIGWINCH)
      _ = try await eventually("a smaller title") { try await line.screen(30, 100)[0].count < 41 ? true : nil }
    }
  }

  @Test func `onefix top reports the loss of the daemon, reconnects and continues`() async throws {
    let daemon = try await Daemon.start()
    let line = try SerialLine(speed: Self.fast)
    let top = try await begin(daemon.socket, line, environment: ["TERM": "vt100", "LC_ALL": "C"])
    try await line.shows("  peer")
    try await daemon.stop()
    try await line.shows("The gateway has not answered since ")
    let again = try await Daemon.start(in: daemon.folder)
    try await line.shows("  peer")
    line.type("q")
    #expect(try await top.finish().end == .exit(0))
    #expect(line.bytes.value.allSatisfy { $0 < 0x80 })
    try await again.stop()
  }
}
