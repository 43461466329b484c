import Glibc
import Testing

/// Reloads of the configuration while the daemon runs.
@Suite struct ReloadTests {
  private func write(_ configuration: String, of daemon: Daemon) throws {
    _ = try daemon.folder.write(configuration + "\n" + Daemon.configuration, to: "onefix.toml")
  }

  @Test func `a faulty file changes nothing and is reported with its line`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon)
      let app = try await Peer.connected(daemon)
      for (text, parts) in [
        ("press_serves = \"everybody\"\narm_timeout = 5", ["onefix.toml:1:", "onefix.toml:2:", "arm_timeout_s"]),
        ("board = \"raspberry-pi-55\"", ["onefix.toml:1:", "raspberry-pi-55"]),
        (" \n\n", ["onefix.toml: error: the file is empty"]),
      ] {
        let isEmpty = text.allSatisfy(\.isWhitespace)
        _ = try daemon.folder.write(isEmpty ? text : "\(text)\n\(Daemon.configuration)", to: "onefix.toml")
        let reply = try await owner.reply(to: "RELOAD")
        #expect(reply.hasPrefix("-ERR 405 bad-argument :nothing was changed: "))
        #expect(parts.allSatisfy(reply.contains), "\(reply)")
        #expect(try await app.reply(to: "STATUS").hasPrefix("+OK"))
      }
      #expect(try await daemon.onefix("reload").end != .exit(0))
      try write("press_serves = \"all\"\narm_timeout_s = 1", of: daemon)
      let command = try await daemon.onefix("reload")
      #expect(command.end == .exit(0) && command.output == ["The configuration was reloaded."])
      #expect(try await app.reply(to: "REQ once").hasPrefix("+OK"))
      _ = try await app.next("-ERR 420")
      try write("board = \"raspberry-pi-5\"", of: daemon)
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=board")
      let restricted = Daemon.configuration.replacing("id = \"peer\"\n", with: "id = \"peer\"\nrestricted = true\n")
      _ = try daemon.folder.write(restricted, to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 412"))
      _ = try daemon.folder.write("# no app", to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
    }
  }
}
