import Testing

@Suite struct FullDiskTests {
  @Test(
    .timeLimit(.minutes(10)),
    .disabled(if: Sanitizer.name == "thread", "the files of the sanitizer exceed the limit of this test"))
  func `nothing is disclosed while the log cannot be written, and no stored data is lost`() async throws {
    let folder = try Folder()
    let first = try await Daemon.start(in: folder)
    try await first.authorize()
    #expect(try await first.stop().end == .exit(0))
    let safe = try await folder.sqlite("SELECT * FROM disclosure_log")
    #expect(!safe.isEmpty)

    // Files of at most 40 kB: enough to open the store, but not for the space that is reserved for revocations.
    let full = try await Daemon.start(in: folder, limit: "-f 80")
    var given = 0
    let refused = try await eventually("a fix that is withheld") {
      let request = try await full.request("--timeout", "60")
      _ = try await eventually("the end of a request") {
        try await full.press()
        return request.end.value
      }
      let finished = try await request.finish()
      if finished.end == .exit(0) { given += 1 }
      return finished.end == .exit(0) ? nil : finished
    }
    #expect(refused.end == .exit(6))
    #expect(refused.errors.contains { $0.contains("513 store") }, "\(refused)")
    #expect(refused.output == [])
    #expect(try await full.status()["locked"] == "false")
    _ = try await full.stop()

    let after = try await Daemon.start(in: folder)
    let log = try await folder.sqlite("SELECT * FROM disclosure_log")
    #expect(Array(log.prefix(safe.count)) == safe)
    let disclosures = try await folder.sqlite("SELECT count(*) FROM disclosure_log WHERE event = 'disclosure'")
    #expect(disclosures == ["\(given + 1)"])
    _ = try await after.fix()
    #expect(try await after.stop().end == .exit(0))
  }
}
