import Testing

@testable import Features

@Suite struct TimeChecksTests {
  private static let socket = "/run/chrony.onefix.sock"

  private func subject(receiver: String = "uart:/dev/ttyAMA0", reduced: Bool = false) throws -> Subject {
    let apps = reduced ? "[[app]]\nid = \"ferry\"\nuid = 1000\naccuracy = \"reduced\"\n" : ""
    let text = "allow_shared_receiver = true\n[time]\nchrony = \"\(Self.socket)\"\n\(apps)"
    return try FeatureTests.subject(of: text, [TimeFeature.self], receiver: receiver)
  }

  /// The findings on a machine on which only the daemon's user may write to chrony's socket.
  private func findings(
    receiver: String = "uart:/dev/ttyAMA0", _ change: (inout DeviceFile?, inout DeviceFile?) -> Void = { _, _ in }
  ) throws -> [Finding] {
    var folder: DeviceFile? = DeviceFile(path: "/run", kind: .other, mode: 0o755)
    var socket: DeviceFile? = DeviceFile(path: Self.socket, kind: .other, owner: 990, mode: 0o755)
    change(&folder, &socket)
    var machine = machine()
    machine.files["/run/"] = folder
    machine.files[Self.socket] = socket
    return try subject(receiver: receiver).findings(on: machine).filter { $0.code.hasPrefix("time-") }
  }

  @Test func `a socket that only the daemon's user may write to has no finding`() throws {
    #expect(try findings().isEmpty)
    #expect(try subject().configurationFindings.filter { $0.code.hasPrefix("time-") }.isEmpty)
  }

  private typealias Change = @Sendable (inout DeviceFile?, inout DeviceFile?) -> Void

  private static let faults: [(Change, [String], String)] = [
    ({ $1 = nil }, ["warning time-absent onefix.toml:3"], "refclock SOCK /run/chrony.onefix.sock"),
    (
      {
        $0 = nil
        $1 = nil
      }, ["warning time-absent onefix.toml:3"], "start chrony"
    ),
    // chronyd makes its sockets as root, with the mode 0755.
    (
      { $1?.owner = 0 }, ["error time-denied onefix.toml:3"],
      "ExecStartPost=+/usr/bin/chown onefix /run/chrony.onefix.sock"
    ),
    ({ folder, _ in folder?.mode = 0o700 }, ["error time-denied onefix.toml:3"], "/run/chrony.onefix.sock"),
    // The user of the check cannot search the folder, either, and so the check does not find the socket.
    (
      { folder, socket in
        folder?.mode = 0o700
        socket = nil
      }, ["error time-denied onefix.toml:3"], "/run/chrony.onefix.sock"
    ),
    ({ $1?.mode = 0o775 }, ["warning time-open onefix.toml:3"], "only user onefix to the socket"),
    ({ $1?.mode = 0o757 }, ["warning time-open onefix.toml:3"], "only user onefix to the socket"),
    ({ folder, _ in folder?.mode = 0o1777 }, ["warning time-open onefix.toml:3"], "only root write to the folder"),
    ({ folder, _ in folder?.owner = 1000 }, ["warning time-open onefix.toml:3"], "only root write to the folder"),
  ]

  @Test(arguments: faults.indices)
  func `a socket that the daemon cannot use, or that others can use, is reported with a remedy`(
    number: Int
  ) throws {
    let (change, expected, remedy) = Self.faults[number]
    let found = try findings(change)
    #expect(brief(found) == expected)
    #expect(found.first?.remedy?.contains(remedy) == true && found.first?.fault.isConfiguration == false)
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
    #expect(try findings(receiver: receiver) { $1 = nil }.isEmpty)
    #expect(try subject(receiver: receiver).warnings(on: nil).contains { $0.code == "time-receiver" })
  }

  @Test func `an app with a lower accuracy than full is reported, because chrony shows when there is no fix`() throws {
    let found = try subject(reduced: true).configurationFindings.filter { $0.code.hasPrefix("time-") }
    #expect(brief(found) == ["warning time-reduced onefix.toml:3"])
    #expect(found.first?.message.contains("every local user") == true && found.first?.fault.isConfiguration == true)
  }

  @Test func `the checks read the socket and its folder`() throws {
    #expect(try subject().features.flatMap(\.objects) == [.file(Self.socket), .file("/run/")])
    #expect(Machine.folder(of: "/s") == "/")
  }

  @Test func `the start logs an open socket, and the status follows the accuracy of the apps by itself`() throws {
    let faults: [Fault] = [
      .timeOfGPSD, .timeNotLive, .timeReduced, .timeAbsent, .timeFolderDenied, .timeDenied, .timeOpen,
    ]
    #expect(faults.filter(\.isLogged) == [.timeOpen])
    let reduced = try subject(reduced: true).warnings(on: nil)
    #expect(reduced.map(\.code).contains("time-reduced") && !reduced.statusCodes.contains("time-reduced"))
  }
}
