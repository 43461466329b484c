import Testing

@testable import Features

@Suite struct TimeChecksTests {
  private static let socket = "/run/chrony.onefix.sock"

  private func subject(receiver: String = "uart:/dev/ttyAMA0", reduced: Bool = false) throws -> Subject {
    let apps = reduced ? "[[app]]\nid = \"ferry\"\nuid = 1000\naccuracy = \"reduced\"\n" : ""
    let text = "allow_shared_receiver = true\n[time]\nchrony = \"\(Self.socket)\"\n\(apps)"
    return try FeatureTests.subject(of: text, [TimeFeature.self], receiver: receiver)
  }

  /// An owner, and a mode.
  typealias Rights = (owner: UInt32, mode: UInt32)

  /// The findings on a machine on which, by default, only the daemon's user may write to chrony's socket.
  private func findings(
    receiver: String = "uart:/dev/ttyAMA0", folder: Rights? = (0, 0o755), socket: Rights? = (990, 0o755)
  ) throws -> [Finding] {
    var machine = machine()
    for (path, rights) in [("/run/", folder), (Self.socket, socket)] {
      machine.files[path] = rights.map { DeviceFile(path: path, kind: .other, owner: $0.owner, mode: $0.mode) }
    }
    return try subject(receiver: receiver).findings(on: machine).filter { $0.code.hasPrefix("time-") }
  }

  /// The rights of the folder and of the socket, the finding, and words of its remedy.
  @Test(
    arguments: [
      ((0, 0o755), (990, 0o755), "", ""),
      ((0, 0o755), nil, "warning time-absent", "refclock SOCK /run/chrony.onefix.sock"),
      (nil, nil, "warning time-absent", "start chrony"),
      // chronyd makes its sockets as root, with the mode 0755.
      ((0, 0o755), (0, 0o755), "error time-denied", "ExecStartPost=+/usr/bin/chown onefix /run/chrony.onefix.sock"),
      ((0, 0o700), (990, 0o755), "error time-denied", "/run/chrony.onefix.sock"),
      // The user of the check cannot search the folder, either, and so the check does not find the socket.
      ((0, 0o700), nil, "error time-denied", "/run/chrony.onefix.sock"),
      ((0, 0o755), (990, 0o775), "warning time-open", "only user onefix to the socket"),
      ((0, 0o755), (990, 0o757), "warning time-open", "only user onefix to the socket"),
      ((0, 0o1777), (990, 0o755), "warning time-open", "only root write to the folder"),
      ((1000, 0o755), (990, 0o755), "warning time-open", "only root write to the folder"),
    ] as [(Rights?, Rights?, String, String)])
  func `a socket that the daemon cannot use, or that others can use, is reported with a remedy`(
    folder: Rights?, socket: Rights?, finding: String, remedy: String
  ) throws {
    let found = try findings(folder: folder, socket: socket)
    #expect(brief(found) == (finding.isEmpty ? [] : ["\(finding) onefix.toml:3"]))
    #expect(found.allSatisfy { $0.remedy?.contains(remedy) == true && !$0.fault.isConfiguration })
  }

  @Test(arguments: [
    ("simulated", "simulated or recorded"), ("replay:/var/log/drive.nmea", "simulated or recorded"), ("gpsd", "gpsd"),
  ])
  func `a receiver that cannot set a clock is reported, and the socket is not checked`(receiver: String, cause: String)
    throws
  {
    let found = try subject(receiver: receiver).configurationFindings.filter { $0.code == "time-receiver" }
    #expect(brief(found) == ["warning time-receiver onefix.toml:3"])
    #expect(found.first?.message.contains(cause) == true && found.first?.remedy != nil)
    #expect(try findings(receiver: receiver, socket: nil).isEmpty)
    #expect(try subject(receiver: receiver).warnings(on: nil).contains { $0.code == "time-receiver" })
  }

  @Test func `an app with a lower accuracy than full is reported, because chrony shows when there is no fix`() throws {
    #expect(try subject().configurationFindings.filter { $0.code.hasPrefix("time-") }.isEmpty)
    let found = try subject(reduced: true).configurationFindings.filter { $0.code.hasPrefix("time-") }
    #expect(brief(found) == ["warning time-reduced onefix.toml:3"])
    #expect(found.first?.message.contains("every local user") == true && found.first?.fault.isConfiguration == true)
    // The status follows the accuracy of the apps by itself.
    let reduced = try subject(reduced: true).warnings(on: nil)
    #expect(reduced.map(\.code).contains("time-reduced") && !reduced.statusCodes.contains("time-reduced"))
  }

  @Test func `the checks read the socket and its folder, and the start logs an open socket`() throws {
    #expect(try subject().features.flatMap(\.objects) == [.file(Self.socket), .file("/run/")])
    #expect(Machine.folder(of: "/s") == "/")
    let faults: [Fault] = [
      .timeOfGPSD, .timeNotLive, .timeReduced, .timeAbsent, .timeFolderDenied, .timeDenied, .timeOpen,
    ]
    #expect(faults.filter(\.isLogged) == [.timeOpen])
  }
}
