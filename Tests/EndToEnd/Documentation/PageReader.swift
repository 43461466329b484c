import Foundation
import Glibc
import Requirements
import Testing

/// A reader of a page on their own machine: a folder with a gateway on the simulated board.
///
/// Only names and paths are changed: `/etc/onefix` and `/run/onefix` are in the folder, and the addresses of the
/// broker and of gpsd, which a page leaves at their defaults, are those of the test.
final class PageReader: Sendable {
  let folder: Folder
  let daemon: Daemon
  private let broker: Mosquitto?
  private let environment: [String: String]

  struct Unlike: Error, CustomStringConvertible {
    var description: String
  }

  /// Returns a configuration with the apps that the machine has. The user of the tests is each of them.
  private static func configuration(in folder: Folder, broker: Mosquitto?) -> String {
    let apps = ["park-finder", "logbook", "navigation"]
    return """
      gateway = "boat-7"
      regions = true
      [gpsd_server]
      apps = ["navigation"]
      address = "127.0.0.1:0"
      [[nmea]]
      socket = "\(folder.path("nmea.sock"))"
      app = "navigation"
      [page]
      port = 0
      [[listen]]
      address = "127.0.0.1:0"
      \(broker?.entry(app: "logbook") ?? "")
      [[app]]
      id = "ferry"
      key = true
      \(apps.map { "[[app]]\nid = \"\($0)\"\nuid = \(getuid())\n" }.joined())
      """
  }

  init(_ page: Page) async throws {
    folder = try Folder()
    let wantsBroker = page.blocks.contains { $0.reason == nil && $0.text.contains("mosquitto_") }
    broker = wantsBroker ? try await Mosquitto() : nil
    daemon = try await Daemon.start(in: folder, configuration: Self.configuration(in: folder, broker: broker))
    environment = [
      "PATH": "\(folder.path("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
      "HOME": folder.path, "XDG_CONFIG_HOME": folder.path("config"), "XDG_STATE_HOME": folder.path("home-state"),
      "ONEFIX_SOCKET": daemon.socket, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
      "PYTHONDONTWRITEBYTECODE": "1",
    ]
    try furnish()
    try await begin("cp Tests/Fixtures/ReceiverLogs/ublox-m8.nmea drive.nmea").finish()
    _ = try await eventually("a receiver with a fix") {
      try await self.daemon.status()["receiver"]?.hasPrefix("ready") == true ? true : nil
    }
    if broker != nil {
      try await daemon.broker("state", "connected")
      let connected = ContinuousClock.now
      // Requests in the first second of a connection may have waited at the broker, so the gateway ignores them.
      let second = Duration.seconds(1.2)
      _ = try await eventually("a second of connection") { ContinuousClock.now - connected > second ? true : nil }
    }
  }

  /// Puts the files of a reader into the folder: the repository, the programs and their default files.
  private func furnish() throws {
    for name in ["bin", "config", "etc"] { #expect(unsafe mkdir(folder.path(name), 0o700) == 0) }
    for name in ["Scripts", "Sources", "Boards", "Tests", "Package.swift"] {
      try link("\(Page.root)/\(name)", name)
    }
    for program in [Program.onefix, Program.onefixd, Program.parkFinder] {
      try link(program, "bin/\(program.split(separator: "/").last ?? "")")
    }
    // The programs are already built and are not built again.
    let built = URL(fileURLWithPath: Program.onefix).deletingLastPathComponent().path
    try shim(
      "swift",
      """
      case "$*" in
        'build --show-bin-path') printf '%s\\n' '\(built)' ;;
        build*) ;;
        *) PATH=${PATH#*:} exec swift "$@" ;;
      esac
      """)
    // The unit file has the path from which the package copies it. The program needs its folder, which a container
    // without systemd does not have.
    try shim(
      "systemd-analyze",
      """
      [ -d /run/systemd ] || [ -w /run ] || exit 0
      exec /usr/bin/systemd-analyze --offline=true --no-pager security '\(Page.root)/Scripts/Packaging/debian/'$2.service
      """)
    let gpsd = try daemon.address("gpsd")
    try shim("gpspipe", "exec /usr/bin/gpspipe \"$@\" \(gpsd.host):\(gpsd.port)")
    if let broker {
      for name in ["mosquitto_pub", "mosquitto_sub"] {
        _ = try folder.write("-h 127.0.0.1\n-p \(broker.port)\n", to: "config/\(name)")
      }
    }
  }

  private func link(_ destination: String, _ name: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: destination)
  }

  private func shim(_ name: String, _ script: String) throws {
    let path = try folder.write("#!/bin/bash\n\(script)\n", to: "bin/\(name)")
    #expect(unsafe chmod(path, 0o755) == 0)
  }

  /// Returns a text of a page with the paths of this machine.
  func adapted(_ text: String) -> String {
    text.replacing("/run/onefix/onefix.sock", with: daemon.socket)
      .replacing("/run/onefix/owner.sock", with: daemon.ownerSocket)
      .replacing("/run/onefix/nmea.sock", with: folder.path("nmea.sock"))
      .replacing("/etc/onefix", with: folder.path("etc"))
      .replacing("/usr/share/doc/onefix/examples/", with: "\(Page.root)/Sources/Documentation/clients/")
      .replacing(".build/debug/", with: "")
  }

  // MARK: Blocks

  func run(_ block: Block) async throws {
    let peers = try await sendRemarks(of: block)
    if let name = block.remark("saved as") { _ = try folder.write(adapted(block.text), to: name) }
    switch block.kind {
    case "sh": try await script(block)
    case "console": try await console(block)
    case "conversation": try await Conversation(self, block.lines, app: block.remark("app")).play()
    case "python", "js", "c":
      let name = "page-\(block.line)"
      let (ending, command) = Self.interpreter(of: block.kind, name)
      _ = try folder.write(adapted(block.text), to: name + ending)
      let end = try await finish(try begin(command), block)
      try require(end.end == .exit(0), "\(block.lines.first ?? "")", end)
    default: break
    }
    for peer in peers { try await peer.reply(to: "BYE") }
  }

  /// Returns the end of the name of a program's file, and the command that runs the program.
  private static func interpreter(of kind: String, _ name: String) -> (ending: String, command: String) {
    let clients = "Sources/Documentation/clients"
    return switch kind {
    case "python": (".py", "PYTHONPATH=\(clients) python3 \(name).py")
    case "js": (".mjs", "ln -sf \(clients)/onefix.mjs .; node \(name).mjs")
    default: (".c", "cc -std=c11 -I \(clients) -o \(name) \(name).c \(clients)/onefix.c; ./\(name)")
    }
  }

  /// Sends the lines that the page assumes an app has sent, for example `park-finder says: REQ once`. The connections
  /// stay open for the block.
  private func sendRemarks(of block: Block) async throws -> [Peer] {
    var peers: [Peer] = []
    for remark in block.remarks {
      guard let says = remark.range(of: " says: ") else { continue }
      let peer = try await Peer.connected(daemon, app: String(remark[..<says.lowerBound]))
      let reply = try await peer.reply(to: String(remark[says.upperBound...]))
      guard reply.hasPrefix("+OK") else { throw Unlike(description: "\(remark): \(reply)") }
      if remark.contains(" AUTHORIZE ") {
        _ = try await eventually("the question") {
          try await self.daemon.onefix("prompts", "--json").output.joined().contains(#""state":"open""#) ? true : nil
        }
      }
      peers.append(peer)
    }
    return peers
  }

  private func begin(_ script: String) throws -> Child {
    try Child("bash", ["-euo", "pipefail", "-c", "cd '\(folder.path)'; \(adapted(script))"], environment: environment)
  }

  /// Runs the lines as one script. A line that must fail runs by itself.
  private func script(_ block: Block) async throws {
    if let keys = block.remark("keys") {
      let text = keys.split(separator: ",")[0].dropFirst("space until ".count)
      try await atTerminal(block.text, until: String(text))
      return
    }
    if block.says("is a gateway") { return try await gateway(block.text) }
    guard let status = block.remark("exit").flatMap({ Int32($0.prefix { $0.isNumber }) }) else {
      if block.text.hasPrefix("onefix answer") { try await readQuestion() }
      let arguments = block.remark("arguments").map { "set -- \($0)\n" } ?? ""
      let end = try await finish(try begin(arguments + block.text), block)
      return try require(end.end == .exit(0), block.lines.first ?? "", end)
    }
    for line in block.lines where !line.hasPrefix("#") {
      // A command that needs a terminal gets one.
      let command = line.hasPrefix("Scripts/run ") ? "script -qefc '\(adapted(line))' /dev/null" : line
      let end = try await finish(try begin(command), block)
      try require(end.end == .exit(status), line, end)
    }
  }

  /// Runs a second gateway in a folder beside the recording and returns when it accepts commands.
  private func gateway(_ command: String) async throws {
    let child = try begin("mkdir own; cp drive.nmea own; cd own; exec \(command)")
    _ = try await child.errors.first("READY of \(command)") { received in
      if received.isOver { throw Unlike(description: "\(command) ended:\n\(received)") }
      return received.lines.first { $0.hasPrefix("READY ") }
    }
    child.kill(SIGINT)
    try require(try await child.finish().end == .exit(0), command, try await child.finish())
  }

  /// Waits for the second in which an answer to a new question is not accepted.
  private func readQuestion() async throws {
    _ = try await eventually("an accepted answer") {
      let received = try await self.daemon.onefix("prompts", "--json").output.joined()
      let age = received.firstMatch(of: /"age_ms":([0-9]+)/).flatMap { Int($0.1) }
      return age.map { $0 > 1000 } == true ? true : nil
    }
  }

  /// Runs a program in a terminal, types the keys again and again until all texts have appeared, and quits the program.
  /// - Returns: The output of the program.
  @discardableResult
  func atTerminal(_ command: String, keys: String = " ", until texts: String...) async throws -> String {
    let line = command.trimmingCharacters(in: .whitespacesAndNewlines)
    let child = try begin("script -qefc '\(line)' /dev/null")
    _ = try await eventually("\(texts) in the terminal") {
      let received = child.output.value
      if received.isOver { throw Unlike(description: "\(line) ended:\n\(received)") }
      let lines = received.lines + [String(decoding: received.rest, as: UTF8.self)]
      if texts.allSatisfy({ text in lines.contains { $0.contains(text) } }) { return true }
      child.write(Array(keys.utf8))
      return nil
    }
    child.write(Array("q".utf8))
    let end = try await child.finish()
    try require(end.end == .exit(0), line, end)
    return end.output.joined(separator: "\n")
  }

  private func finish(_ child: Child, _ block: Block) async throws -> Finished {
    if block.says("somebody presses") { try await daemon.press(untilEndOf: child) }
    child.closeInput()
    return try await child.finish()
  }

  private func require(_ isSo: Bool, _ command: String, _ end: Finished) throws {
    guard !isSo else { return }
    let received = (end.output + end.errors).joined(separator: "\n")
    throw Unlike(description: "\(command)\nended with \(end.end):\n\(received)")
  }

  /// Runs commands and compares the output of each with the page.
  private func console(_ block: Block) async throws {
    if block.lines.first?.hasPrefix(Self.prompt) == true { return try await dialogue(block) }
    var rest = block.lines[...]
    while let first = rest.popFirst() {
      guard first.hasPrefix("$ ") else { throw Unlike(description: "no command: \(first)") }
      var command = String(first.dropFirst(2))
      while command.hasSuffix("\\"), let next = rest.popFirst() { command = "\(command.dropLast())\(next)" }
      let shown = rest.prefix { !$0.hasPrefix("$ ") }
      rest = rest.dropFirst(shown.count)
      if command.hasPrefix("nc -U ") {
        try await Conversation(self, Array(shown), app: nil).play()
      } else {
        try await console(command, shown, block)
      }
    }
  }

  private func console(_ command: String, _ shown: ArraySlice<String>, _ block: Block) async throws {
    if command.hasPrefix("onefix answer") { try await readQuestion() }
    // Both streams together, in the order in which a terminal shows them.
    let child = try begin("exec 2>&1; \(command)")
    if block.says("ends with Ctrl-C"), !shown.isEmpty {
      let patience = Patience()
      while Shown.end(of: child.output.value.lines[...], shown) == nil {
        let received = child.output.value
        guard !received.isOver, !patience.hasEnded else {
          throw Unlike(description: "\(command)\nsaid:\n\(received)\n\(child.errors.value)\nand not:\n\(shown)")
        }
        if block.says("somebody presses") { try await daemon.press() }
        let count = received.lines.count
        _ = try? await child.output.first("more", within: .milliseconds(50)) { $0.lines.count > count ? true : nil }
      }
      child.kill(SIGINT)
      try await child.finish()
      return
    }
    if shown.first?.hasPrefix("waiting for a press") == true {
      // A press before this message can be too early for the request.
      _ = try await child.output.first("a request that waits for a press") { $0.lines.isEmpty ? nil : true }
    }
    let end = try await finish(child, block)
    let status = block.remark("exit").flatMap { Int32($0.prefix { $0.isNumber }) } ?? 0
    try require(end.end == .exit(status), command, end)
    try require(end.output, command, shown)
  }

  private func require(_ received: [String], _ command: String, _ shown: ArraySlice<String>) throws {
    guard Shown.end(of: received[...], shown) != received.count, !shown.isEmpty else { return }
    throw Unlike(
      description: "\(command)\nsaid:\n\(received.joined(separator: "\n"))\nand not:\n\(shown.joined(separator: "\n"))")
  }

  // MARK: The owner's console

  private static let prompt = "onefix> "

  /// Types the lines at the console and compares the output of each with the page.
  private func dialogue(_ block: Block) async throws {
    let terminal = try ConsoleTerminal()
    let child = try begin("exec onefix console <'\(terminal.path)' >'\(terminal.path)'")
    try await terminal.waitFor(Self.prompt)
    if block.remarks.contains(where: { $0.contains(" AUTHORIZE ") }) {
      // The question is above the line that the user types.
      try await terminal.waitFor("Answer: ")
      try await terminal.waitFor(Self.prompt)
    }
    var rest = block.lines[...]
    while let first = rest.popFirst() {
      let command = String(first.dropFirst(Self.prompt.count))
      let shown = rest.prefix { !$0.hasPrefix(Self.prompt) }
      rest = rest.dropFirst(shown.count)
      if command.hasPrefix("answer") { try await readQuestion() }
      let received = try await terminal.reply(to: command)
      let lines = received.split(separator: "\r\n").map { $0.trimmingCharacters(in: .whitespaces) }
      try require(lines.filter { !$0.isEmpty }, command, shown)
    }
    terminal.type("quit\r")
    let end = try await child.finish()
    try require(end.end == .exit(0), "quit", end)
  }
}
