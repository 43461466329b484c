import Foundation
import Testing

@Suite struct LogTests {
  /// Verifies the log while no daemon runs.
  private func offline(_ folder: Folder) async throws -> Finished {
    try await Child(
      Program.onefixd, ["--verify-log", "--state", folder.path("state"), "--config", folder.path("onefix.toml")]
    ).finish()
  }

  @Test func `the log verifies across a restart and is listed in every form`() async throws {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    let verified = try await first.onefix("log", "--verify")
    #expect(verified.end == .exit(0))
    #expect(verified.output.first?.hasPrefix("good: 3 entries, #1 to #3; anchored up to #0 at ") == true)
    #expect(try await first.status()["log"] == "good")
    #expect(try await first.stop().end == .exit(0))
    // The end of the log was anchored when the daemon stopped.
    let anchor = try String(contentsOfFile: folder.path("state.anchor"), encoding: .utf8).split(separator: "\n")
    #expect(anchor.last?.hasPrefix("2 3 ") == true)
    #expect(!folder.has("state.anchor.new"))
    let offline = try await offline(folder)
    #expect(offline.end == .exit(0) && offline.output == ["good: 3 entries, #1 to #3"])

    let second = try await Daemon.start(in: folder)
    let again = try await second.onefix("log", "--verify", "--json")
    #expect(again.end == .exit(0))
    #expect(again.output.count == 1)
    #expect(
      again.output[0].hasPrefix(#"{"state":"good","entries":"3","first":"1","last":"3","pruned":"0","anchored":"3","#))
    let csv = try await second.onefix("log", "--csv").output
    #expect(csv.count == 4 && csv[0].hasPrefix("entry,time,event,app,accuracy,right,transport,"))
    #expect(csv[2].hasPrefix("2,") && csv[2].hasSuffix(",disclosure,onefix,full,once,unix,true,,,,,,,,,,"))
    let english = try await second.onefix("log", "--language", "en").output
    #expect(
      english.dropFirst().map { $0.dropFirst("2026-11-21 07:31:34  ".count) } == [
        "#1     onefix  answer: Yes (button)", "#2     onefix  one fix by a press, precise, simulated",
        "#3     onefix  #2 arrived",
      ])
    #expect(try await second.log() == second.onefix("log", "--json", "--language", "de").output)
    let none = ["No entries."]
    #expect(try await second.onefix("log", "--language", "en", "--app", "nobody").output == none)
    #expect(try await second.onefix("log", "--language", "en", "--since", "2200-01-01").output == none)
    #expect(try await second.onefix("log", "--since", "2020-01-01", "--limit", "1", "--json").output.count == 1)
    for wrong in [["--since", "yesterday"], ["--json", "--csv"], ["--verify", "--app", "a"], ["--limit", "0"]] {
      #expect(try await second.begin(["log"] + wrong).finish().end == .exit(64))
    }
    #expect(try await second.stop().end == .exit(0))
  }

  @Test(arguments: [
    (
      "DROP TRIGGER disclosure_log_keeps_entries; UPDATE disclosure_log SET app = 'other' WHERE sequence = 1",
      "changed", "1", "entry #1 was changed or moved"
    ),
    (
      "DROP TRIGGER disclosure_log_keeps_all_entries; DELETE FROM disclosure_log WHERE sequence = 2", "missing", "2",
      "entry #2 was removed"
    ),
  ])
  func `a damaged log is reported at the start and to the owner, and the daemon still runs`(
    change: String, fault: String, entry: String, text: String
  ) async throws {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    #expect(try await Child("sqlite3", [folder.path("state/onefix.sqlite"), change]).finish().end == .exit(0))

    let offline = try await offline(folder)
    #expect(offline.end == .exit(3) && offline.output.first == text)
    let second = try await Daemon.start(in: folder)
    try await second.process.reported("the log of disclosures is broken", text)
    let status = try await second.status()
    #expect(status["log"] == "broken" && status["log-fault"] == fault && status["log-entry"] == entry)
    let doctor = try await second.onefix("doctor", "--config", folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    #expect(doctor.output.contains("✗ The log of disclosures or its anchor was changed (\(fault), entry #\(entry))."))
    let verified = try await second.onefix("log", "--verify")
    #expect(verified.end == .exit(3))
    #expect(verified.output.first == text)
    #expect(verified.output.last?.hasPrefix("broken: ") == true)
    // The daemon appends to the log, which stays damaged.
    _ = try await second.fix()
    #expect(try await second.onefix("log", "--verify").end == .exit(3))
    #expect(try await second.stop().end == .exit(0))
  }

  @Test func `a right that was changed in the database is reported at the start and to the owner, and is not granted`()
    async throws
  {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    let change = "UPDATE app SET status = 'always'"
    #expect(try await Child("sqlite3", [folder.path("state/onefix.sqlite"), change]).finish().end == .exit(0))

    let text = "the record of app 'onefix' was changed, or sealed with another device key: the app is denied"
    let offline = try await offline(folder)
    #expect(offline.end == .exit(3) && offline.output.first == text)
    let second = try await Daemon.start(in: folder)
    try await second.process.reported(text)
    #expect(try await second.status()["warnings"] == "rights-changed")
    let doctor = try await second.onefix("doctor", "--config", folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    #expect(
      doctor.output.contains { $0.hasPrefix("✗ Rights of apps were changed, or sealed with another device key.") })
    #expect(try await second.onefix("apps", "--json").output.contains { $0.contains(#""status":"denied""#) })
    #expect(try await second.onefix("log", "--verify").end == .exit(0), "the log is as it was")
    #expect(try await second.stop().end == .exit(0))
  }

  @Test func `a verification of a state that does not exist fails, and creates none`() async throws {
    let folder = try Folder()
    let daemon = try await Daemon.start(in: folder)
    #expect(try await daemon.stop().end == .exit(0))
    let verified = try await Child(
      Program.onefixd,
      [
        "--verify-log", "--state", folder.path("other"), "--key", folder.path("state.key"), "--config",
        folder.path("onefix.toml"),
      ]
    ).finish()
    #expect(verified.end == .exit(3) && verified.output == [])
    #expect(verified.errors.contains { $0.contains("no such file or directory") }, "\(verified.errors)")
    #expect(!folder.has("other"))
  }

  @Test func `a report lists the requests and answers of each app, and only its owner can read the page`() async throws
  {
    try await Daemon.with(authorizing: "onefix") { daemon in
      #expect(try await daemon.onefix("request", "--timeout", "3").end == .exit(3))
      let text = try await daemon.onefix("report").output
      #expect(text.first == "Privacy report of onefix")
      #expect(text.contains("  Requests    2"))
      #expect(text.contains("  Given       1 × precise") && text.contains("  Outcome     1 × arrived"))
      #expect(text.contains("  Not given   1 × no press"))
      let path = daemon.folder.path("report.html")
      #expect(try await daemon.onefix("report", "--html", path).end == .exit(0))
      let page = try String(contentsOfFile: path, encoding: .utf8)
      #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n") && page.contains("<svg"))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try await daemon.onefix("report", "--html", "-").output.first == "<!DOCTYPE html>")
      #expect(try await daemon.onefix("report", "--html", daemon.folder.path("no/report.html")).end == .exit(74))
    }
  }
}
