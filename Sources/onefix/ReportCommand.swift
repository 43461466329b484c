import ArgumentParser
import Clocks
import ConsoleService
import Glibc
import OneFixClient
import PrivacyReports
import SystemClock

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
      do throws(FileError) { try write(report.page + "\n", to: path) } catch {
        say("onefix: \(error)")
        throw ExitCode(error.status)
      }
    }
  }

  /// For the user alone: who uses which app is nobody else's business.
  private func write(_ text: String, to path: String) throws(FileError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileError("write", path, errno) }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      // The count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileError("write", path, errno) }
      rest = rest.dropFirst(count)
    }
  }
}
