import Foundation
import Testing

/// A damaged database, and the remedies for its owner.
@Suite struct DamagedStateTests {
  @Test func `after the remedy the gateway is unlocked, its log is good, and each app asks again`() async throws {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    _ = try folder.write("no database any more", to: "state/onefix.sqlite")
    let error = await #expect(throws: Daemon.Unready.self) { try await Daemon.start(in: folder) }
    let message = try #require(error?.received.lines.first)
    #expect(message.contains("it is not an SQLite database (move it and the file onefix.sqlite-wal away"), "\(message)")
    #expect(message.contains("without a backup, start onefixd once with --renew-anchor"), "\(message)")
    // Without the option the new state is older than the anchor.
    try FileManager.default.moveItem(atPath: first.database, toPath: folder.path("damaged"))
    let locked = try await Daemon.start(in: folder)
    let locks = try await locked.status()
    #expect(locks["locked"] == "true" && locks["warnings"] == "state-older")
    #expect(locks["log-fault"] == "not-as-anchored")
    try await locked.stopChecked()
    try FileManager.default.moveItem(atPath: first.database, toPath: folder.path("locked"))
    let daemon = try await Daemon.start(in: folder, ["--renew-anchor"])
    let status = try await daemon.status()
    #expect(status["locked"] == "false" && status["warnings"] == nil)
    #expect(try await daemon.onefix("log", "--verify").end == .exit(0))
    try await daemon.authorize()
    _ = try await daemon.fix()
    #expect(try await daemon.onefix("doctor", "--config", daemon.folder.path("onefix.toml")).end == .exit(0))
    try await daemon.stopChecked()
    // The next start needs no option.
    let next = try await Daemon.start(in: daemon.folder)
    #expect(try await next.status()["locked"] == "false")
    #expect(try await next.onefix("log", "--verify").end == .exit(0))
    try await next.stopChecked()
  }
}
