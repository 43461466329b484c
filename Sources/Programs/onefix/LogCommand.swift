import ArgumentParser
import Base
import LineProtocol
import OneFixClient
import OperatingSystem
import OwnerClients
import OwnerScreens

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the disclosures of the location: the app, the time and the authorization.",
    discussion: """
      No entry has a position. With --verify, the whole log is checked for entries that were changed, removed, \
      added or moved. Exit status with --verify: 0 good, 3 broken, 7 no daemon.
      """)

  @OptionGroup var options: OwnerOptions

  @Option(help: "Only entries since this UTC time, as in 2026-11-21T07:31:34Z.")
  var since: String?

  @Option(help: "Only entries of this app.")
  var app: String?

  @Option(help: "The maximum number of entries, the latest ones. (default: 1000; with --csv, all)")
  var limit: Int?

  @Flag(help: "Print CSV for spreadsheets (RFC 4180).")
  var csv = false

  @Flag(help: "Check whether the log is unchanged.")
  var verify = false

  func validate() throws {
    if options.json && csv { throw ValidationError("cannot combine --json and --csv") }
    if verify && (csv || since != nil || app != nil || limit != nil) {
      throw ValidationError("--verify checks the whole log and can be combined only with --json")
    }
    if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit must be 1 to 1000000") }
    // An error of `run` would have the usage of `onefix`, without the command.
    _ = try UTCTime.since(since)
  }

  func run() async throws {
    let time = try UTCTime.since(since)
    if verify {
      let isGood = try await options.socket.asOwner { try await verify($0) }
      if !isGood { throw ExitCode(ExitStatus.brokenLog) }
      return
    }
    try await options.socket.asOwner { client in
      let gateway = EntryProgress(OwnerConnection(client: client))
      defer { gateway.clear() }
      try await list(gateway, since: time)
    }
  }

  private func list(_ gateway: some OwnerGateway, since time: UTCTime?) async throws {
    if options.json {
      try await gateway.latestEntries(limit ?? 1000, since: time, app: app) { try printLine($0) }
    } else if csv {
      try printLine(EntryMessage.csvHeader)
      try await gateway.latestEntries(limit ?? .max, since: time, app: app) { json in
        if let entry = EntryMessage(json: json) { try printLine(entry.csv) }
      }
    } else {
      var entries: [EntryMessage] = []
      try await gateway.latestEntries(limit ?? 1000, since: time, app: app) { json in
        if let entry = EntryMessage(json: json) { entries.append(entry) }
      }
      try printLines(
        EntryMessage.table(
          entries, language: options.spoken, columns: Screen.columns, localTime: LocalTime.reader))
    }
  }

  private func verify(_ client: OwnerClient) async throws -> Bool {
    let (fields, faults) = try await client.perform(.owner(.verify))
    try printLines(faults.map { options.json ? $0.json : FaultMessage(json: $0.json)?.text ?? $0.json })
    let verification = LogState(fields)
    try printLine(options.json ? fields.json : verification.text)
    return verification.isGood
  }
}

extension UTCTime {
  static func since(_ text: String?) throws -> UTCTime? {
    guard let text else { return nil }
    // A date without a time means the beginning of that day.
    guard let time = UTCTime(iso8601: text) ?? UTCTime(iso8601: text + "T00:00:00Z") else {
      throw ValidationError("--since must be a UTC time such as 2026-11-21T07:31:34Z, or a day such as 2026-11-21")
    }
    return time
  }
}
