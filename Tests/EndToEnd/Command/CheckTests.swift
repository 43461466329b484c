import Foundation
import Glibc
import Testing

/// `onefixd check` and `onefix doctor` as users run them. The machines that run the tests have no board.
@Suite struct CheckTests {
  /// Creates a folder of boards with one board whose lines are on a chip that no machine has.
  private func boards() throws -> Folder {
    let folder = try Folder()
    for name in ["real", "dim"] { #expect(unsafe mkdir(folder.path(name), 0o700) == 0) }
    try folder.writeUnwiredBoard(to: "real/board.toml")
    _ = try folder.write(
      """
      name = "dim"
      simulated = true
      receiver = "simulated"
      [[button]]
      name = "main"
      [indicator]
      brightness = 0.01
      """, to: "dim/board.toml")
    // The temporary folder can be in memory.
    _ = try folder.write("allow_volatile_state = true\n", to: "onefix.toml")
    return folder
  }

  private func check(_ folder: Folder, _ more: String...) async throws -> Finished {
    try await Child(
      Program.onefixd, ["check", "--boards", folder.path, "--config", folder.path("onefix.toml")] + more
    ).finish()
  }

  @Test func `the simulated board has no errors`() async throws {
    let folder = try Folder()
    let configuration = try folder.write(Daemon.configuration, to: "onefix.toml")
    let found = try await Child(Program.onefixd, ["check", "--config", configuration]).finish()
    #expect(found.end == .exit(0), "\(found)")
    #expect(found.output == ["no errors: board simulated, receiver simulated"])
    #expect(found.errors == [])
  }

  @Test func `an option before the subcommand ends with 64 and names the right order`() async throws {
    let found = try await Child(Program.onefixd, ["--config", "/nowhere.toml", "check"]).finish()
    #expect(found.end == .exit(64))
    #expect(found.errors.count == 1)
    #expect(found.errors.first?.contains("write it before the options, 'onefixd check …'") == true)
  }

  @Test func `errors of the configuration and of its sockets end with 2, each at its line`() async throws {
    let folder = try boards()
    _ = try folder.write("gateway = \"boat\"\npress_serve = \"all\"\narm_timeout_s = 0\n", to: "onefix.toml")
    let found = try await check(folder, "--board", "real")
    #expect(found.end == .exit(2))
    let file = folder.path("onefix.toml")
    #expect(found.errors.count == 3 && found.errors[2] == "2 errors: the machine was not checked")
    #expect(found.errors[0].hasPrefix("\(file):2: error: unknown key 'press_serve'"))
    #expect(found.errors[0].contains("'press_serves'"))
    #expect(found.errors[1].hasPrefix("\(file):3: error: "))
    let socket = "[[app]]\nid = \"left\"\nuid = 1\n[[nmea]]\nsocket = \"/run/onefix/owner.sock\"\napp = \"left\"\n"
    _ = try folder.write(socket, to: "onefix.toml")
    let taken = try await check(folder, "--board", "real")
    #expect(taken.end == .exit(2) && taken.errors.count == 2 && taken.errors.last?.hasPrefix("1 error: ") == true)
    #expect(taken.errors.first?.hasPrefix("\(file):5: error: /run/onefix/owner.sock is ") == true)
  }

  @Test func `labels are listed in each language with the width that they need and the width that they have`()
    async throws
  {
    let folder = try boards()
    let good = try await check(folder, "--board", "dim", "--labels")
    #expect(good.end == .exit(0) && good.output == ["no button has a label"])
    let configuration = """
      [[button]]
      name = "main"
      label = { en = "Share", de = "Standort teilen", ja = "共有" }
      label_height_mm = 3.5
      label_width_mm = 45
      """
    _ = try folder.write(configuration, to: "onefix.toml")
    let found = try await check(folder, "--board", "dim", "--labels")
    #expect(found.end == .exit(2))
    #expect(
      found.output == [
        "BUTTON  LANGUAGE  NEEDS    HAS      LABEL", "main    en        15.5 mm  45.0 mm  Share",
        "main    de        46.5 mm  45.0 mm  Standort teilen  (1.5 mm too long)",
        "main    ja        10.0 mm  45.0 mm  共有",
      ])
    let objects = try await check(folder, "--board", "dim", "--labels", "--json").output
    #expect(objects.count == 3)
    #expect(
      objects.dropFirst().first
        == #"{"button":"main","language":"de","label":"Standort teilen","needs-mm":46.5,"has-mm":45.0,"too-long":true}"#
    )
  }

  @Test func `a board or a receiver that does not exist ends with 2, and a user that does not exist with 64`()
    async throws
  {
    let folder = try boards()
    #expect(try await check(folder, "--board", "dim", "--user", "no such user").end == .exit(64))
    #expect(try await check(folder, "--board", "reel").end == .exit(2))
    let found = try await check(folder, "--board", "dim", "--receiver", "uart:")
    #expect(found.end == .exit(2) && found.errors.count == 2 && found.errors[0].hasPrefix("--receiver: error: "))
  }

  @Test func `errors of the machine end with 3, each at the line of the affected setting, also as JSON objects`()
    async throws
  {
    let folder = try boards()
    let found = try await check(folder, "--board", "real")
    #expect(found.end == .exit(3))
    let file = folder.path("real/board.toml")
    // The chip is missing, closed to this user, or has another label. In each case the error is about the button.
    #expect(found.errors.contains { $0.hasPrefix("\(file):6: ") }, "\(found.errors)")
    #expect(found.errors.contains { $0.hasPrefix("\(file):2: error: ") && $0.hasSuffix("[receiver-absent]") })
    let json = try await check(folder, "--board", "real", "--json")
    #expect(json.end == .exit(3) && json.errors == [])
    let objects = try json.output.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.contains { $0["code"] as? String == "receiver-absent" && $0["line"] as? Int == 2 })
    #expect(objects.allSatisfy { $0["severity"] is String && $0["message"] is String })
    let lines = objects.filter { $0["file"] as? String == file }.compactMap { $0["line"] as? Int }
    #expect(lines.count > 1 && lines == lines.sorted(), "\(json)")
  }

  @Test func `with --script the output is a shell script, and only a fault of the configuration is an error`()
    async throws
  {
    let folder = try boards()
    let found = try await check(folder, "--board", "real", "--script")
    #expect(found.end == .exit(0) && found.errors == [])
    #expect(found.output.first == "#!/bin/sh")
    #expect(found.output.contains { $0.hasPrefix("# \(folder.path("real/board.toml")):2: ") })
    let script = try folder.write(found.output.joined(separator: "\n") + "\n", to: "script")
    #expect(try await Child("/bin/sh", ["-n", script]).finish().end == .exit(0))
    _ = try folder.write("arm_timeout_s = 0\n", to: "onefix.toml")
    let faulty = try await check(folder, "--board", "real", "--script")
    #expect(faulty.end == .exit(2) && faulty.output == [])
  }

  @Test(arguments: [["check"], ["check", "--script"], ["check", "--labels"], ["--version"]])
  func `a command of the daemon whose output cannot be written says why and ends with 74`(words: [String])
    async throws
  {
    try await writeToFullDisk(words)
  }

  @Test(.unlessThreadSanitizer) func `a help of the daemon that cannot be written ends with 74`() async throws {
    try await writeToFullDisk(["check", "--help"])
  }

  private func writeToFullDisk(_ words: [String]) async throws {
    let folder = try Folder()
    let file = try folder.write(Daemon.configuration, to: "onefix.toml")
    let finished = try await Child(
      "/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", Program.onefixd] + words + ["--config", file]
    ).finish()
    #expect(finished.end == .exit(74), "\(finished)")
    #expect(finished.errors == ["onefixd: cannot write the standard output: no space left on device"])
  }

  @Test func `each file that the configuration names is read, and one with unusable content has a line and a remedy`()
    async throws
  {
    let authority = try await Authority()
    try await authority.issue("boat")
    try await authority.issue("old", from: "20200101000000Z", until: "20200201000000Z")
    let folder = authority.folder
    let secret = try folder.write("open sesame\n", to: "secret")
    let empty = try folder.write("\n", to: "empty")
    let pin = folder.path("pin")
    let made = try Child(Program.onefixd, ["console-pin", "--file", pin])
    made.write(Array("2580\n2580\n".utf8))
    #expect(try await made.finish().end == .exit(0))
    let (ca, boat) = (authority.certificate("authority"), authority.certificate("boat"))
    let key = authority.privateKey("boat")
    for secret in [secret, empty, key, authority.privateKey("old")] { #expect(unsafe chmod(secret, 0o600) == 0) }
    let configuration = """
      allow_volatile_state = true
      [console]
      port = "/dev/onefix-nowhere"
      pin_file = "\(pin)"
      [[app]]
      id = "ferry"
      [[mqtt]]
      broker = "mqtts://192.0.2.1"
      app = "ferry"
      username = "boat"
      password_file = "\(secret)"
      ca = "\(ca)"
      certificate = "\(boat)"
      key = "\(key)"
      [[http]]
      url = "https://192.0.2.1/"
      app = "ferry"
      format = "json"
      bearer_file = "\(secret)"
      ca = "\(ca)"
      [[listen]]
      address = "127.0.0.1:0"
      certificate = "\(boat)"
      private_key = "\(key)"
      client_ca = "\(ca)"
      """
    let lines = configuration.split(separator: "\n").map(String.init)
    /// Returns the errors if some lines name other files.
    func errors(_ files: [Int: String]) async throws -> [String] {
      var changed = lines
      for (line, file) in files { changed[line - 1] = "\(lines[line - 1].prefix { $0 != "=" })= \"\(file)\"" }
      let path = try folder.write(changed.joined(separator: "\n"), to: "onefix.toml")
      let found = try await Child(Program.onefixd, ["check", "--config", path]).finish()
      return found.errors.filter { $0.contains(": error: ") }.map { $0.replacing("\(path):", with: "") }
    }
    #expect(try await errors([:]) == [])
    let oldKey = authority.privateKey("old")
    for (line, file, remedy) in [
      (4, empty, "onefixd console-pin --file \(empty)"), (11, empty, "first line"), (12, empty, "openssl x509"),
      (13, key, "openssl x509"), (14, oldKey, "openssl pkey"), (19, empty, "first line"), (20, empty, "openssl x509"),
      (23, key, "openssl x509"), (24, authority.certificate("old"), "openssl pkey"), (25, empty, "openssl x509"),
    ] {
      let found = try await errors([line: file])
      #expect(found.count == 1 && found[0].hasPrefix("\(line): error: ") && found[0].contains(file), "\(found)")
      #expect(found.first?.contains(remedy) == true, "\(found)")
    }
    let old = authority.certificate("old")
    for line in [13, 23] {
      let found = try await errors([line: old, line + 1: oldKey])
      #expect(found.count == 1 && found[0].hasPrefix("\(line): error: "), "\(found)")
      #expect(found.first?.contains("the certificate \(old) has expired") == true, "\(found)")
    }
  }

  // MARK: The doctor

  @Test func `the doctor finds nothing to fix in a gateway without faults`() async throws {
    try await Daemon.with { daemon in
      // The first epochs have few satellites.
      try await daemon.status("fix", is: "3d")
      let doctor = try await daemon.onefix("doctor", "--config", daemon.folder.path("onefix.toml"))
      #expect(doctor.end == .exit(0), "\(doctor)")
      #expect(doctor.output.contains { $0.hasPrefix("✓ The gateway onefix runs on board simulated.") })
      #expect(doctor.output.contains { $0.hasPrefix("✓ The receiver has a 3D fix") }, "\(doctor.output)")
      #expect(doctor.output.contains { $0.hasPrefix("✓ None of ") })
      #expect(doctor.output.contains("✓ Configuration and machine fit the board."))
      let fix = try await daemon.fix()
      let text = doctor.output.joined()
      #expect(!text.contains("\(fix.latitude)".prefix(6)) && !text.contains("\(fix.longitude)".prefix(6)))
    }
  }

  @Test func `the doctor names each fault and its remedy, as does the log of a refused press`() async throws {
    let folder = try boards()
    let daemon = try await Daemon.start(in: folder, ["--boards", folder.path, "--board", "dim"])
    let doctor = try await daemon.onefix("doctor", "--boards", folder.path, "--config", folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    #expect(doctor.output.contains { $0.hasPrefix("✗ The indicator is not visible enough (indicator-too-dim)") })
    #expect(doctor.output.contains { $0.contains("dim/board.toml:7") })
    #expect(try await daemon.status()["warnings"] == "indicator-too-dim")
    let request = try daemon.begin("request", "--timeout", "60")
    let refusal = "cannot grant a press: indicator-too-dim (raise the indicator's brightness to 0.2 or more)"
    _ = try await eventually("the message") {
      try await daemon.press()
      return daemon.process.errors.value.lines.contains { $0.contains(refusal) } ? true : nil
    }
    request.kill(SIGTERM)
    try await daemon.stop()
  }

  @Test func `the doctor reports that the gateway does not run, and checks the machine for the given board`()
    async throws
  {
    let folder = try boards()
    let words = [
      "doctor", "--socket", folder.path("s"), "--boards", folder.path, "--config", folder.path("onefix.toml"),
    ]
    let lone = try await Child(Program.onefix, words).finish()
    #expect(lone.end == .exit(1))
    #expect(lone.output.contains { $0.hasPrefix("✗ The gateway does not reply: ") })
    #expect(lone.output.contains { $0.contains("or start onefixd.") })
    #expect(lone.output.contains { $0.contains("--board") })
    let named = try await Child(Program.onefix, words + ["--board", "real"]).finish()
    #expect(named.end == .exit(1))
    #expect(named.output.contains { $0.hasPrefix("✗ /dev/onefix-nowhere does not exist") })
  }

  @Test func `the doctor advises to restart a daemon that runs and does not answer`() async throws {
    try await Daemon.with { daemon in
      daemon.process.kill(SIGSTOP)
      let doctor = try await daemon.onefix("doctor")
      daemon.process.kill(SIGCONT)
      #expect(doctor.end == .exit(1))
      #expect(
        doctor.output.contains { $0.contains("onefixd runs, but does not answer. Restart it:") }, "\(doctor.output)")
    }
  }

  @Test func `the doctor counts corrupt input by its cause`() async throws {
    let folder = try Folder()
    let good = "$GPRMC,081836,A,3751.65,S,14507.36,E,000.0,360.0,130998,011.3,E*62\r\n"
    let log = try folder.write(
      (0..<20).map { $0.isMultiple(of: 2) ? good : good.replacing("*62", with: "*00") }.joined(), to: "log.nmea")
    let daemon = try await Daemon.start(in: folder, receiver: "replay:\(log)@max")
    let corrupt = try await eventually("the count of corrupt input") { () -> String? in
      let output = try await daemon.onefix("doctor", "--config", folder.path("onefix.toml")).output
      return output.first { $0.contains("were corrupt") }
    }
    #expect(corrupt == "✗ 10 of 20 sentences and frames were corrupt (checksum 10).")
    let status = try await daemon.status()
    #expect(status["frames"] == "10" && status["errors"] == "checksum:10")
    #expect(status["source"] == "replay:\(log)@max" && status["uid"] == "\(geteuid())")
    try await daemon.stop()
  }
}
