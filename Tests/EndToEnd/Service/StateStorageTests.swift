import Foundation
import Glibc
import Requirements
import Testing

/// The state on file systems that do not keep it, in a mount namespace for each daemon.
@Suite(.needsNamespaces)
struct StateStorageTests {
  /// Creates the description of a board whose lines are on a chip that no machine has, and the folders of the daemon.
  private func folder() throws -> Folder {
    let folder = try Folder()
    for name in ["real", "state", "keys", "memory"] { #expect(unsafe mkdir(folder.path(name), 0o700) == 0) }
    try folder.writeUnwiredBoard(to: "real/board.toml")
    _ = try folder.write("", to: "onefix.toml")
    return folder
  }

  /// Runs a program after shell commands that mount file systems in the folder. The commands have `$D` for the folder.
  private func run(_ words: [String], after mounts: String, in folder: Folder) async throws -> Finished {
    let script = "set -e; D=\(folder.path); \(mounts); exec \"$0\" \"$@\""
    return try await Child("/usr/bin/env", Namespace.words("--mount") + ["sh", "-c", script] + words).finish()
  }

  private func daemon(after mounts: String, in folder: Folder) async throws -> Finished {
    let words = ["--no-panel", "--socket", folder.path("s")]
    return try await run([Program.onefixd] + words + board(folder) + files(folder), after: mounts, in: folder)
  }

  private func check(after mounts: String, in folder: Folder) async throws -> Finished {
    try await run([Program.onefixd, "check"] + board(folder) + files(folder), after: mounts, in: folder)
  }

  private func board(_ folder: Folder) -> [String] { ["--boards", folder.path, "--board", "real"] }

  private func files(_ folder: Folder) -> [String] {
    ["--config", folder.path("onefix.toml"), "--state", folder.path("state")]
      + ["--key", folder.path("keys/device.key"), "--anchor", folder.path("keys/anchor")]
  }

  private static let overlay =
    "mount -t tmpfs t $D/memory; mkdir $D/memory/u $D/memory/w; "
    + "mount -t overlay o -o lowerdir=$D/state,upperdir=$D/memory/u,workdir=$D/memory/w $D/state"

  private static let cases = [
    ("mount -t tmpfs t $D/state", "state", "the state is in memory (tmpfs)"),
    ("mount -t ramfs r $D/state", "state", "the state is in memory (ramfs)"),
    (overlay, "state", "the state is on an overlay whose changes are in memory (tmpfs)"),
    ("mount -t tmpfs t $D/keys", "keys/anchor", "the anchor of the log is in memory (tmpfs)"),
    ("mount -t tmpfs t $D/keys", "keys/device.key", "the device key is in memory (tmpfs)"),
  ]

  @Test(arguments: cases)
  func `a real board does not start with a state, an anchor or a key in memory, unless a key permits it`(
    mounts: String, path: String, text: String
  ) async throws {
    let folder = try folder()
    let refused = try await daemon(after: mounts, in: folder)
    #expect(refused.end == .exit(3))
    #expect(
      refused.errors.contains {
        $0.hasPrefix("\(folder.path(path)): error: \(text): ") && $0.hasSuffix("[state-volatile]")
      }, "\(refused)")
    let checked = try await check(after: mounts, in: folder)
    #expect(checked.errors.contains { $0.hasPrefix("\(folder.path(path)): error: \(text): ") }, "\(checked)")
    // With the permission, the start fails only at the chip that no machine has.
    _ = try folder.write("allow_volatile_state = true\n", to: "onefix.toml")
    let allowed = try await daemon(after: mounts, in: folder)
    #expect(allowed.end == .exit(3) && !allowed.errors.contains { $0.hasSuffix("[state-volatile]") }, "\(allowed)")
    #expect(allowed.errors.contains { $0.contains("state-volatile") && $0.contains(text) }, "\(allowed)")
  }

  @Test func `a file system without write access is named as the cause, and the state stays unchanged`() async throws {
    let folder = try folder()
    let mounts = "mount -t tmpfs -o ro t $D/state"
    let words = [Program.onefixd, "--no-panel", "--socket", folder.path("s")] + files(folder)
    let refused = try await run(words, after: mounts, in: folder)
    #expect(refused.end == .exit(3) && refused.errors.count == 1, "\(refused)")
    #expect(refused.errors.first?.contains("read-only file system (mount its file system with write access)") == true)
    let checked = try await check(after: mounts, in: folder)
    #expect(checked.errors.contains { $0.hasPrefix("\(folder.path("state")): error: the state cannot be written") })
  }
}
