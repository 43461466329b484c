import ArgumentParser
import Clocks
import LineProtocol
import OneFixClient
import PrivacyReports

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List who was given the location, when, and by which right.",
    discussion: """
      No entry has a position. With --verify the whole log is looked through for entries that were changed, removed, \
      added or moved. Exit status then: 0 good, 3 broken, 7 no daemon.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "Only entries from this UTC time on, as in 2026-11-21T07:31:34Z.")
  var since: String?

  @Option(help: "Only entries of this app.")
  var app: String?

  @Option(help: "At most so many entries, the latest ones. (default: 1000; with --csv, all)")
  var limit: Int?

  @Flag(help: "One JSON object for each entry.")
  var json = false

  @Flag(help: "A table as spreadsheets read it (RFC 4180).")
  var csv = false

  @Flag(help: "Say whether the log is as it was written.")
  var verify = false

  func validate() throws {
    if json && csv { throw ValidationError("--json or --csv, not both") }
    if verify && (csv || since != nil || app != nil || limit != nil) {
      throw ValidationError("--verify looks at the whole log; it goes with --json alone")
    }
    if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit is 1 to 1000000") }
  }

  func run() async throws {
    let time = try UTCTime.argument("--since", since)
    let client = try await socket.connectAsOwner()
    if verify {
      let isGood = try await verify(client)
      await client.close()
      if !isGood { throw ExitCode(ExitStatus.brokenLog) }
      return
    }
    let write: @Sendable (String) -> Void =
      switch (json, csv) {
      case (true, _): { print($0) }
      case (_, true): { print(LogLine(json: $0).csv) }
      default: { print(LogLine(json: $0).text) }
      }
    if csv { print(LogLine.csvHeader) }
    let most = limit ?? (csv ? .max : 1000)
    if most > OwnerCommand.mostEntries {
      try await client.latestEntries(most, since: time, app: app, write)
    } else {
      let command = Command.owner(.log(since: time, app: app, limit: most))
      _ = try await orExit { try await client.perform(command) { message in write(message.json) } }
    }
    await client.close()
  }

  private func verify(_ client: OwnerClient) async throws -> Bool {
    let isJSON = json
    let fields = try await orExit {
      try await client.perform(.owner(.verify)) { message in
        print(isJSON ? message.json : LogFaultLine(json: message.json).text)
      }
    }
    let verification = LogState(fields)
    if json {
      var object = JSONObject()
      for pair in fields.pairs { object.add(pair.key, pair.value) }
      print(object.text)
    } else {
      print(verification.text)
    }
    return verification.isGood
  }
}

extension OwnerClient {
  /// Hears the latest entries, oldest first; `.max` is all.
  func latestEntries(
    _ most: Int, since: UTCTime?, app: String?, _ heard: @escaping @Sendable (String) -> Void
  ) async throws {
    if most == .max { return try await allEntries(since: since, app: app, heard) }
    let lines = HeardLines()
    try await allEntries(since: since, app: app) { lines.hear($0) }
    for line in lines.all.suffix(most) { heard(line) }
  }

  /// Hears every entry, oldest first, some at a time: the log may be long.
  func allEntries(since: UTCTime?, app: String?, _ heard: @escaping @Sendable (String) -> Void) async throws {
    let last = LastEntry()
    while true {
      let command = Command.owner(.log(since: since, app: app, limit: OwnerCommand.mostEntries, after: last.number))
      let fields = try await orExit {
        try await self.perform(command) { message in
          last.hear(message.json)
          heard(message.json)
        }
      }
      guard fields["count"] == String(OwnerCommand.mostEntries) else { return }
    }
  }
}

extension UTCTime {
  /// Reads an option's value.
  static func argument(_ option: String, _ text: String?) throws -> UTCTime? {
    guard let text else { return nil }
    // A day is its beginning.
    guard let time = UTCTime(iso8601: text) ?? UTCTime(iso8601: text + "T00:00:00Z") else {
      throw ValidationError("\(option) is a UTC time such as 2026-11-21T07:31:34Z, or a day such as 2026-11-21")
    }
    return time
  }
}
