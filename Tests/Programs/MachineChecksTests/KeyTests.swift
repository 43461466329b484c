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
  arguments: [(0o644, 0o755, true), (0o600, 0o755, false), (0o644, 0o700, false)] as [(UInt32, UInt32, Bool)])
func `a configuration that the daemon's user cannot read is an error`(
  mode: UInt32, folderMode: UInt32, isRead: Bool
) throws {
  let (folder, path) = ("/etc/onefix/", "/etc/onefix/onefix.toml")
  let machine = machine {
    $0.files[path] = DeviceFile(path: path, kind: .other, mode: mode)
    $0.files[folder] = DeviceFile(path: folder, kind: .other, mode: folderMode)
  }
  var subject = try subject()
  subject.configurationFile = path
  let found = subject.findings(on: machine)
  #expect(brief(found) == (isRead ? [] : ["error configuration-denied \(path)"]))
  #expect(found.allSatisfy { $0.remedy?.hasPrefix("chmod 755 /etc/onefix/; chmod 644 \(path)") == true })
}
