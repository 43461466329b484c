import ArgumentParser
import Clocks
import ConsoleService
import LineProtocol
import OneFixClient
import OwnerVerbs

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
      case (_, true): { if let entry = EntryMessage(json: $0) { print(entry.csv) } }
      default: { print(EntryMessage(json: $0)?.text ?? $0) }
      }
    if csv { print(EntryMessage.csvHeader) }
    let most = limit ?? (csv ? .max : 1000)
    if most > OwnerCommand.mostEntries {
      let gateway = OwnerConnection(client: client)
      try await orExit { try await gateway.latestEntries(most, since: time, app: app, write) }
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
