import Foundation
import Testing

@Test(.timeLimit(.minutes(10)))
func `a no while another program keeps the database busy ends with exit status 6, and survives a kill of the daemon`()
  async throws
{
  let folder = try Folder()
  let first = try await Daemon.start(in: folder)
  try await first.authorize()
  let other = try Child("sqlite3", [first.database])
  other.write(Array("BEGIN EXCLUSIVE;\nSELECT 'held';\n".utf8))
  try await other.printed("held")
  for words in [["deny", "onefix"], ["lock"]] {
    let done = try await first.begin(words).finish()
    #expect(done.end == .exit(6), "\(done)")
    #expect(done.errors.contains { $0.contains("in force, but not saved") }, "\(done)")
  }
  #expect(try await first.status()["locked"] == "true")
  first.process.kill(SIGKILL)
  _ = try await first.process.finish()
  other.closeInput()
  _ = try await other.finish()

  let second = try await Daemon.start(in: folder)
  #expect(try await second.status()["locked"] == "true")
  let apps = try await second.onefix("apps", "--json")
  #expect(apps.output.contains { $0.contains(#""app":"onefix""#) && $0.contains(#""status":"denied""#) }, "\(apps)")
  #expect(!folder.has("unsaved"))
  try await second.stopChecked()
}
