import ArgumentParser
import Clocks
import ConsoleService
import OneFixClient
import OwnerVerbs
import OperatingSystem

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Say who asked for the location how often, and what was answered.",
    discussion: "With --html, a page with a timeline: one file, without scripts, that loads nothing.")

  @OptionGroup var socket: SocketOptions

  @Option(help: "Only from this UTC time on, as in 2026-11-21T07:31:34Z, or a day.")
  var since: String?

  @Option(help: "Write a page to this file; - is the standard output.")
  var html: String?

  func run() async throws {
    let since = try UTCTime.argument("--since", since)
    let client = try await socket.connectAsOwner()
    let gateway = OwnerConnection(client: client)
    let name = client.greeting["id"] ?? "onefix"
    let now = SystemClock.reading.utc
    let report = try await orExit { try await PrivacyReport(from: gateway, named: name, since: since, now: now) }
    await client.close()
    switch html {
    case nil: print(report.text)
    case "-"?: print(report.page)
    case let path?:
      do throws(FileError) {
        // For the user alone: who uses which app is nobody else's business.
        try OutputStream.makeFile(of: report.page + "\n", at: path, mode: 0o600)
      } catch {
        say("onefix: \(error)")
        throw ExitCode(error.status)
      }
    }
  }
}
