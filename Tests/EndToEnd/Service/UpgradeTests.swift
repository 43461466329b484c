import Foundation
import Glibc
import Repository
import Testing

/// A daemon that starts with the files of an earlier version.
@Suite struct UpgradeTests {
  /// `UpgradeTests` of the state store has the files of each other version.
  @Test func `the daemon continues with the files of the first version`() async throws {
    let folder = try Folder()
    let fixture = "\(Repository.root)/Tests/Consent/StateStoreTests/Fixtures/format-1"
    for name in try FileManager.default.contentsOfDirectory(atPath: fixture) {
      try FileManager.default.copyItem(atPath: "\(fixture)/\(name)", toPath: folder.path(name))
    }
    // Git does not store these file modes.
    _ = unsafe chmod(folder.path("device.key"), 0o600)
    _ = unsafe chmod(folder.path("state"), 0o700)
    // The retention time must not remove old records.
    let daemon = try await Daemon.start(
      in: folder, configuration: "log_retention_days = 36500", ["--key", folder.path("device.key")])
    #expect(try await daemon.status()["locked"] == "true")
    let verified = try await daemon.onefix("log", "--verify")
    #expect(verified.end == .exit(0), "\(verified)")
    let log = try await daemon.onefix("log", "--csv").output
    let entry = ",disclosure,ferry,reduced,whenInUse,unix,true,,,,,,,,,,"
    #expect(log.contains { $0.hasPrefix("3,2026-11-21T") && $0.hasSuffix(entry) }, "\(log)")
    let apps = try await daemon.onefix("apps").output.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      Set(apps).isSuperset(of: ["ferry While using precise", "harbour Never approximate", "kiosk Always precise"]))
    #expect(try await daemon.stop().end == .exit(0))
  }
}
