import Foundation
import Testing

/// A damaged database, and the remedies for its owner.
@Suite struct DamagedStateTests {
  /// Creates the state of a gateway that served an app, and damages its database.
  private func damagedState() async throws -> Folder {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    _ = try folder.write("no database any more", to: "state/onefix.sqlite")
    let error = await #expect(throws: Daemon.Unready.self) { try await Daemon.start(in: folder) }
    let message = try #require(error?.received.lines.first)
    #expect(message.contains("it is not an SQLite database (restore it and the anchor from one backup; "), "\(message)")
    #expect(message.contains("move it away and start onefixd once with --renew-anchor"), "\(message)")
    try FileManager.default.moveItem(atPath: folder.path("state/onefix.sqlite"), toPath: folder.path("damaged"))
    return folder
  }

  @Test func `after the remedy the gateway is unlocked, its log is good, and each app asks again`() async throws {
    let daemon = try await Daemon.start(in: try await damagedState(), ["--renew-anchor"])
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

  @Test func `without a new anchor the gateway is locked, and the doctor names the new state and the remedy`()
    async throws
  {
    let daemon = try await Daemon.start(in: try await damagedState())
    let status = try await daemon.status()
    #expect(status["locked"] == "true" && status["warnings"] == "state-older")
    let doctor = try await daemon.onefix("doctor", "--config", daemon.folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    let text = doctor.output.joined(separator: "\n")
    #expect(text.contains("The state was older than its anchor when the daemon started, or it was new"))
    #expect(text.contains("The log of disclosures does not fit its anchor (not-as-anchored, entry #1)"))
    #expect(text.contains("moved a damaged one away, start onefixd once with --renew-anchor"))
    #expect(!text.contains("Another program"))
    try await daemon.stopChecked()
    let renewed = try await Daemon.start(in: daemon.folder, ["--renew-anchor"])
    #expect(try await renewed.onefix("log", "--verify").end == .exit(0))
    // The gateway was locked by the earlier start.
    #expect(try await renewed.onefix("hold").end == .exit(0))
    #expect(try await renewed.status()["locked"] == "false")
    try await renewed.stopChecked()
  }
}
