import Glibc
import Testing

/// Reloads of the configuration while the daemon runs.
@Suite struct ReloadTests {
  private func write(_ configuration: String, of daemon: Daemon) throws {
    _ = try daemon.folder.write(configuration + "\n" + Daemon.configuration, to: "onefix.toml")
  }

  @Test func `a right that the configuration removes ends at once, and prompts again when it is allowed again`()
    async throws
  {
    try await Daemon.with { daemon in
      let app = try await Peer.connected(daemon)
      let owner = try await Peer.owner(daemon)
      _ = try await app.reply(to: "SUB authorization mine")
      _ = try await owner.reply(to: "SET peer status always")
      #expect(try await app.reply(to: "START updates interval=0") == "+OK state=acquiring")
      _ = try await app.next("MSG fix/updates")
      let restricted = Daemon.configuration.replacing("id = \"peer\"\n", with: "id = \"peer\"\nrestricted = true\n")
      _ = try daemon.folder.write(restricted, to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
      _ = try await app.next { $0.contains(#""status":"restricted""#) }
      _ = try await app.next("-ERR 422")
      #expect(try await app.reply(to: "START updates").hasPrefix("-ERR 412"))
      try write("", of: daemon)
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
      _ = try await app.next { $0.contains(#""status":"always""#) }
      #expect(try await app.reply(to: "START updates") == "+OK state=acquiring")
    }
  }

  @Test func `a faulty file changes nothing and is reported with its line`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon)
      let app = try await Peer.connected(daemon)
      try write("press_serves = \"everybody\"\narm_timeout = 5", of: daemon)
      let reply = try await owner.reply(to: "RELOAD")
      #expect(reply.hasPrefix("-ERR 405 bad-argument :nothing was changed: "))
      #expect(reply.contains("onefix.toml:1:") && reply.contains("onefix.toml:2:") && reply.contains("arm_timeout_s"))
      #expect(try await app.reply(to: "STATUS").hasPrefix("+OK"))
      #expect(try await daemon.onefix("reload").end != .exit(0))
      try write("press_serves = \"all\"", of: daemon)
      let command = try await daemon.onefix("reload")
      #expect(command.end == .exit(0) && command.output == ["The configuration was reloaded."])
    }
  }

  @Test func `an emptied file changes nothing and is reported, and a file with a comment removes every app`()
    async throws
  {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon)
      let app = try await Peer.connected(daemon)
      _ = try daemon.folder.write(" \n\n", to: "onefix.toml")
      let reply = try await owner.reply(to: "RELOAD")
      #expect(reply.hasPrefix("-ERR 405 ") && reply.contains("onefix.toml: error: the file is empty"), "\(reply)")
      #expect(try await app.reply(to: "STATUS").hasPrefix("+OK"))
      _ = try daemon.folder.write("# no app", to: "onefix.toml")
      #expect(try await owner.reply(to: "RELOAD") == "+OK")
    }
  }

  @Test func `a board that does not exist changes nothing, and another board is used from the next start on`()
    async throws
  {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon)
      try write("board = \"raspberry-pi-55\"", of: daemon)
      let reply = try await owner.reply(to: "RELOAD")
      #expect(reply.hasPrefix("-ERR 405 bad-argument :nothing was changed: "))
      #expect(reply.contains("onefix.toml:1:") && reply.contains("raspberry-pi-55"), "\(reply)")
      try write("board = \"raspberry-pi-5\"", of: daemon)
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=board")
    }
  }

  @Test func `a setting that cannot change while the daemon runs is named, and SIGHUP reloads too`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon)
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "SUB authorization mine")
      try write("gateway = \"boat-7\"\nregions = true", of: daemon)
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=gateway,regions")
      // Moving settings to other lines is not a change.
      try write("\n# a word\nregions = true\ngateway = \"boat-7\"\narm_timeout_s = 7", of: daemon)
      #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=gateway,regions")
      let reduced = Daemon.configuration.replacing("id = \"peer\"\n", with: "id = \"peer\"\naccuracy = \"reduced\"\n")
      _ = try daemon.folder.write(reduced, to: "onefix.toml")
      #expect(try await owner.reply(to: "SET peer status whenInUse") == "+OK")
      daemon.process.kill(SIGHUP)
      _ = try await app.next { $0.contains(#""accuracy":"reduced""#) }
    }
  }
}
