import Configuration
import Glibc
import Testing

@testable import MachineChecks

@Suite struct MetricsTests {
  private static let folder = "/var/lib/onefix-metrics/"

  private func subject(apps: String = "") throws -> Subject {
    let text = "\n[metrics]\nfile = \"\(Self.folder)onefix.prom\"\n\(apps)"
    let configuration = try GatewayConfiguration(parsing: Array(text.utf8), file: "onefix.toml")
    return Subject(board: try board(), configuration)
  }

  /// A machine with the collector's group `prometheus`, with an app's user in the daemon's group, and with the user
  /// `pi`, a member of the group `gpio`.
  private func machine(group: UInt32, mode: UInt32, owners: [String] = [], collector: [String] = []) -> Machine {
    MachineChecksTests.machine {
      $0.accounts.users += [.init(name: "prometheus", uid: 120, gid: 130), .init(name: "kiosk", uid: 1001, gid: 1001)]
      $0.accounts.groups += [
        .init(name: "prometheus", gid: 130, members: collector), .init(name: "kiosk", gid: 1001),
        .init(name: "onefix-owner", gid: 981, members: owners),
      ]
      let onefix = $0.accounts.groups.firstIndex { $0.gid == 980 }
      if let onefix { $0.accounts.groups[onefix].members = ["kiosk"] + owners }
      $0.files[Self.folder] = DeviceFile(path: Self.folder, kind: .other, owner: 990, group: group, mode: mode)
    }
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
    let found = try subject().findings(on: machine)
    #expect(brief(found) == (cause.isEmpty ? [] : ["note metrics-closed onefix.toml:3"]))
    #expect(found.allSatisfy { $0.message.contains(cause) && $0.message.contains(Self.folder + "onefix.prom") })
    let command = "sudo install -d -o onefix -g GROUP -m 2750 \(Self.folder)"
    #expect(found.allSatisfy { $0.remedy?.contains(command) == true })
    #expect(try subject().warnings(on: machine).isEmpty, "the daemon does not log a note")
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
      let found = subject.findings(on: machine)
      #expect(brief(found) == (readers == nil ? [] : ["warning metrics-open onefix.toml:3"]), "\(gid) \(collector)")
      #expect(found.first.map { $0.message.hasSuffix("are its members: \(readers ?? "")") } ?? true, "\(found)")
      #expect(found.allSatisfy { $0.remedy?.contains("a group without users of apps") == true })
      #expect(subject.warnings(on: machine).filter { $0.code == .metricsOpen } == found)
    }
  }

  @Test func `without a file of metrics, or without its folder, the check has no finding`() throws {
    var closed = machine(group: 980, mode: 0o750)
    #expect(try MachineChecksTests.subject().findings(on: closed).isEmpty)
    closed.files[Self.folder] = nil
    #expect(try subject().findings(on: closed).isEmpty)
  }

  @Test func `the reader finds the folder with its set-group-ID bit`() throws {
    let tree = try FakeTree()
    try tree.folder(Self.folder)
    for mode: mode_t in [0o750, 0o2750] {
      #expect(unsafe chmod(tree.path + Self.folder, mode) == 0)
      let folder = tree.reader.machine(for: try subject(), user: onefix).files[Self.folder]
      #expect(folder?.mode == UInt32(mode) && folder?.isSetGroupID == (mode == 0o2750))
    }
  }
}
