import Foundation
import Glibc
import Repository
import Testing

/// A daemon that starts with the files of an earlier or a later version.
@Suite struct UpgradeTests {
  private static let fixtures = "\(Repository.root)/Tests/Consent/StateStoreTests/Fixtures"
  private static let formats = (1...).prefix { FileManager.default.fileExists(atPath: "\(fixtures)/format-\($0)") }

  private static func folder(_ format: Int) throws -> Folder {
    let folder = try Folder()
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(fixtures)/format-\(format)") {
      try FileManager.default.copyItem(
        atPath: "\(fixtures)/format-\(format)/\(name)", toPath: folder.path(name))
    }
    // Git does not store these file modes.
    _ = unsafe chmod(folder.path("device.key"), 0o600)
    _ = unsafe chmod(folder.path("state"), 0o700)
    return folder
  }

  @Test(arguments: formats) func `the daemon continues with the files of each earlier version`(format: Int) async throws
  {
    let folder = try Self.folder(format)
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

  @Test func `a newer format is refused in one line, and its files are not changed`() async throws {
    let folder = try Self.folder(Self.formats.count)
    let change = try await Child("sqlite3", [folder.path("state/onefix.sqlite"), "PRAGMA user_version = 99"]).finish()
    #expect(change.end == .exit(0))
    let configuration = try folder.write(Daemon.configuration, to: "onefix.toml")
    let before = try Self.files(folder)
    let daemon = try await Child(
      Program.onefixd,
      ["--no-panel", "--config", configuration, "--socket", folder.path("s"), "--state", folder.path("state")]
        + ["--key", folder.path("device.key")]
    ).finish()
    #expect(daemon.end == .exit(3))
    #expect(
      daemon.errors == [
        "onefixd: cannot open \(folder.path("state/onefix.sqlite")): it has format 99, but this version supports formats up to "
          + "\(Self.formats.count) (install the OneFix version that wrote it, or a newer one; nothing was changed)"
      ])
    #expect(try Self.files(folder) == before)
    #expect(!folder.has("s"))
  }

  /// Returns every file except the lock, which has the id of the last process.
  private static func files(_ folder: Folder) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name != "state/onefix.lock" {
      files[name] = try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    }
    return files
  }
}
