import Configuration
import Testing

@testable import Features

private let path = "/etc/onefix/device.key"

private func machine(owner: UInt32, group: UInt32, mode: UInt32) -> Machine {
  machine { $0.files[path] = DeviceFile(path: path, kind: .other, owner: owner, group: group, mode: mode) }
}

@Test(
  arguments: [
    // The group 980 is the group of all apps.
    (0, 0, 0o600, true), (990, 980, 0o600, true), (0, 980, 0o640, false), (0, 0, 0o640, false), (0, 980, 0o620, false),
    (0, 0, 0o604, false), (0, 0, 0o602, false), (1000, 0, 0o600, false),
  ] as [(UInt32, UInt32, UInt32, Bool)])
func `only root and the daemon's user may have a right on the device key`(
  owner: UInt32, group: UInt32, mode: UInt32, isClosed: Bool
) throws {
  let machine = machine(owner: owner, group: group, mode: mode)
  let found = try subject().findings(on: machine)
  #expect(brief(found) == (isClosed ? [] : ["warning key-open \(path)"]))
  #expect(found.first?.remedy?.contains("chmod 600 \(path)") == (isClosed ? nil : true))
  #expect(found.first?.remedy?.contains("chown root") == (isClosed ? nil : owner == 1000))
  // The daemon logs the finding at its start.
  #expect(try subject().warnings(on: machine).map(\.code).contains("key-open") == !isClosed)
}

@Test(arguments: [true, false])
func `the reader finds the device key of a real board`(isSimulated: Bool) throws {
  let tree = try FakeTree()
  try tree.file(path, "key")
  let receiver = isSimulated ? "simulated" : "uart:/dev/serial0"
  #expect(try (tree.machine(receiver, isSimulated: isSimulated).files[path] == nil) == isSimulated)
}

@Test(
  arguments: [
    (0o644, 0o755, nil), (0o600, 0o755, "chmod a+r /srv/onefix.toml"), (0o644, 0o700, "chmod a+x /srv/"),
    (0o600, 0o700, "chmod a+x /srv/; chmod a+r /srv/onefix.toml"),
  ] as [(UInt32, UInt32, String?)])
func `a configuration that the daemon's user cannot read is an error, also behind a link`(
  mode: UInt32, folderMode: UInt32, remedy: String?
) throws {
  let machine = machine {
    $0.files[Subject.configurationFile] = DeviceFile(path: "/srv/onefix.toml", kind: .other, mode: mode)
    $0.files["/srv/"] = DeviceFile(path: "/srv/", kind: .other, mode: folderMode)
  }
  var subject = try subject()
  #expect(subject.findings(on: machine).isEmpty)
  subject.checksConfigurationFile = true
  let found = subject.findings(on: machine)
  #expect(brief(found) == (remedy == nil ? [] : ["error configuration-denied /etc/onefix/onefix.toml"]))
  #expect(found.first?.remedy?.split(separator: "; secrets").first.map(String.init) == remedy)
}
