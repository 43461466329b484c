import Foundation
import Testing

/// The help texts of the programs compared with their manual pages.
@Suite struct ManualPageTests {
  private func subcommands(_ program: String, _ words: [String] = []) async throws -> [String] {
    // The subcommands of onefix are in groups, for example under `ASK SUBCOMMANDS:`.
    let lines = try await Child(program, words + ["--help"]).finish().output
    var names: [String] = []
    var isList = false
    for line in lines {
      if !line.hasPrefix(" ") { isList = line.hasSuffix("SUBCOMMANDS:") }
      if isList, line.hasPrefix("  "), !line.hasPrefix("   ") {
        names += line.split(separator: " ").first.map { [String($0)] } ?? []
      }
    }
    return names
  }

  /// Returns the options, for example `--socket`, without those of every command.
  private func options(_ program: String, _ words: [String]) async throws -> Set<String> {
    let lines = try await Child(program, words + ["--help"]).finish().output.filter { $0.starts(with: /\ +-/) }
    let names = Set(lines.flatMap { $0.matches(of: /--[a-z-]+/).map { String($0.0) } })
    return names.subtracting(["--help", "--usage", "--version"])
  }

  @Test(.unlessThreadSanitizer) func `every option of the daemon and of its commands is in onefixd(8)`() async throws {
    let page = try Page.text(of: "Sources/Documentation/man/onefixd.8")
    let commands = try await subcommands(Program.onefixd)
    #expect(commands.count >= 2)
    for words in [[]] + commands.map({ [$0] }) {
      if let command = words.first { #expect(page.contains("Cm \(command)")) }
      for option in try await options(Program.onefixd, words) {
        #expect(page.contains("Fl -\(option.dropFirst(2))"), "\(words) \(option)")
      }
    }
  }

  @Test func `every command of onefix and every option is in onefix(1)`() async throws {
    let page = try Page.text(of: "Sources/Documentation/man/onefix.1")
    let commands = try await subcommands(Program.onefix)
    #expect(commands.count > 20)
    let items = page.split(separator: "\n").filter { $0.hasPrefix(".It Ic ") }
      .map { $0.split(whereSeparator: { " ,".contains($0) }) }
    for command in commands {
      #expect(items.contains { $0.contains { $0 == command } }, "\(command)")
      for option in try await options(Program.onefix, [command]) {
        #expect(page.contains("Fl -\(option.dropFirst(2))"), "\(command) \(option)")
      }
    }
  }

  @Test func `every verb of the protocol is in onefix-protocol(7)`() async throws {
    let page = try Page.text(of: "Sources/Documentation/man/onefix-protocol.7")
    try await Daemon.with { daemon in
      let peers = [(try await Peer.connected(daemon), "REQ"), (try await Peer.owner(daemon), "PLACE")]
      for (peer, own) in peers {
        let received = try await peer.reply(to: "HELP")
        let verbs = try #require(received.split(separator: " ").first { $0.hasPrefix("verbs=") }).dropFirst(6)
        #expect(verbs.split(separator: ",").contains(Substring(own)))
        for verb in verbs.split(separator: ",") {
          #expect(page.split(separator: "\n").contains { $0.hasPrefix(".It Ic") && $0.contains(verb) }, "\(verb)")
        }
      }
    }
  }
}
