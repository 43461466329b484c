import ArgumentParser
import Base
import OneFixClient
import OperatingSystem
import OwnerClients
import OwnerScreens

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print the number of location requests of each app and their results.",
    discussion: "With --html, writes a page with a timeline: one file without scripts and external resources.")

  @OptionGroup var socket: SocketOptions

  @Option(help: "Only requests since this UTC time, as in 2026-11-21T07:31:34Z, or a day.")
  var since: String?

  @Option(help: "Write a page to this file; - is standard output.")
  var html: String?

  @OptionGroup var language: LanguageOption

  // An error of `run` would have the usage of `onefix`, without the command.
  func validate() throws {
    guard let since = try UTCTime.since(since), since > SystemClock.reading.utc else { return }
    throw ValidationError("--since is in the future, so the report would be empty: \(since.iso8601)")
  }

  func run() async throws {
    let since = try UTCTime.since(since)
    let report = try await socket.asOwner { client in
      let gateway = EntryProgress(OwnerConnection(client: client), output: nil)
      defer { gateway.clear() }
      return try await PrivacyReport(
        from: gateway, named: client.greeting["id"] ?? "onefix", since: since, now: SystemClock.reading.utc,
        language: language.spoken)
    }
    switch html {
    case nil: try printLine(report.text)
    case "-"?: try printLine(report.page)
    case let path?:
      // Only the user of the command can read the report, because it shows which apps the user has.
      try filesOrExit { () throws(FileError) in
        try OutputStream.makeFile(of: report.page + "\n", at: path, mode: 0o600)
      }
    }
  }
}
