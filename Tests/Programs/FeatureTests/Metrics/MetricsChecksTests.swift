import Testing

@testable import Features

@Suite struct MetricsChecksTests {
  private static let folder = "/var/lib/onefix-metrics/"

  private func subject(apps: String = "") throws -> Subject {
    let text = "\n[metrics]\nfile = \"\(Self.folder)onefix.prom\"\n\(apps)"
    return try FeatureTests.subject(of: text, [MetricsFeature.self])
  }

  /// The findings about the metrics.
  private func findings(_ subject: Subject, on machine: Machine) -> [Finding] {
    subject.findings(on: machine).filter { $0.code.hasPrefix("metrics-") }
  }

  /// A machine with the collector's group `prometheus`, with an app's user in the daemon's group, and with the user
  /// `pi`, a member of the group `gpio`.
  private func machine(group: UInt32, mode: UInt32, owners: [String] = [], collector: [String] = []) -> Machine {
    var machine = Machine()
    machine.user = .init(name: "onefix", uid: 990, gid: 980)
    machine.accounts.users = [
      .init(name: "root", uid: 0, gid: 0), machine.user, .init(name: "pi", uid: 1000, gid: 1000),
      .init(name: "prometheus", uid: 120, gid: 130), .init(name: "kiosk", uid: 1001, gid: 1001),
    ]
    machine.accounts.groups = [
      .init(name: "root", gid: 0), .init(name: "onefix", gid: 980, members: ["kiosk"] + owners),
      .init(name: "gpio", gid: 21, members: ["onefix", "pi"]), .init(name: "pi", gid: 1000),
      .init(name: "prometheus", gid: 130, members: collector), .init(name: "kiosk", gid: 1001),
      .init(name: "onefix-owner", gid: 981, members: owners),
    ]
    machine.files[Self.folder] = DeviceFile(path: Self.folder, kind: .other, owner: 990, group: group, mode: mode)
    return machine
  }

  private let pi = "[[app]]\nid = \"plotter\"\nuid = 1000\n"

  @Test(
    arguments: [
      // The group 980 is the group of the daemon's user, 130 the group of the collector.
      (130, 0o2750, ""), (980, 0o2750, "the group onefix of"), (130, 0o750, "gives its files no group of its own"),
      (980, 0o770, "gives its files no group of its own"), (130, 0o1777, "gives its files no group of its own"),
    ] as [(UInt32, UInt32, String)])
  func `a folder that gives the metrics to no group is a note, because root and the daemon's user can read them`(
    group: UInt32, mode: UInt32, cause: String
  ) throws {
    let machine = machine(group: group, mode: mode)
    let found = findings(try subject(), on: machine)
    #expect(brief(found) == (cause.isEmpty ? [] : ["note metrics-closed onefix.toml:3"]))
    #expect(found.allSatisfy { $0.message.contains(cause) && $0.message.contains(Self.folder + "onefix.prom") })
    let command = "sudo install -d -o onefix -g GROUP -m 2750 \(Self.folder)"
    #expect(found.allSatisfy { $0.remedy?.contains(command) == true })
    #expect(
      try !subject().warnings(on: machine).contains { $0.code == "metrics-closed" }, "the daemon does not log a note")
  }

  @Test func `a group with the user of an app is a warning, also of the daemon, and names the users`() throws {
    let cases: [(gid: UInt32, collector: [String], owners: [String], apps: String, readers: String?)] = [
      (130, [], [], pi, nil),
      // An app by its user, as a member and by the primary group.
      (21, [], [], pi, "pi"), (1000, [], [], pi, "pi"), (21, [], [], "", nil),
      // Members of the daemon's group can open the apps' socket.
      (130, ["kiosk"], [], "", "kiosk"), (1001, [], [], "", "kiosk"), (130, ["kiosk", "pi"], [], pi, "kiosk, pi"),
      // An owner can read the metrics anyway, also as a member of the daemon's group.
      (130, ["pi"], ["pi"], pi, nil), (130, ["onefix", "root"], [], "[[app]]\nid = \"a\"\nuid = 0\n", nil),
    ]
    for (gid, collector, owners, apps, readers) in cases {
      let machine = machine(group: gid, mode: 0o2750, owners: owners, collector: collector)
      let subject = try subject(apps: apps)
      let found = findings(subject, on: machine)
      #expect(brief(found) == (readers == nil ? [] : ["warning metrics-open onefix.toml:3"]), "\(gid) \(collector)")
      #expect(found.first.map { $0.message.hasSuffix("are its members: \(readers ?? "")") } ?? true, "\(found)")
      #expect(found.allSatisfy { $0.remedy?.contains("a group without users of apps") == true })
      #expect(subject.warnings(on: machine).filter { $0.code == "metrics-open" } == found)
    }
    // Without the folder, the check has no finding.
    var absent = machine(group: 980, mode: 0o750)
    absent.files[Self.folder] = nil
    #expect(findings(try subject(), on: absent).isEmpty)
    #expect(try subject().features.flatMap(\.objects) == [.file(Self.folder)])
  }
}
