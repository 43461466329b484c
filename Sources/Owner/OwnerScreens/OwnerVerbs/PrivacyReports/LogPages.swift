package import Base
import LineProtocol

extension OwnerGateway {
  /// Reads log entries, oldest first, and passes the JSON of each entry to `receive`. Many commands may be necessary.
  /// - Parameters:
  ///   - since: The time of the earliest entry; nil for no limit.
  ///   - app: The id of an app; nil for the entries of all apps.
  ///   - last: The identifier of an entry. Only later entries are read.
  ///   - most: The maximum count of entries.
  /// - Throws: The error of the connection to the gateway, or of `receive`.
  package func entries(
    since: UTCTime?, app: String?, after last: Int = 0, most: Int = .max, _ receive: (String) throws -> Void
  ) async throws {
    var rest = most
    try await pages(since, app, after: last) { _, page in
      for json in page.prefix(rest) { try receive(json) }
      rest -= min(rest, page.count)
      return rest > 0
    }
  }

  /// Reads the newest log entries, oldest first.
  /// - Parameters:
  ///   - most: The maximum count of entries; `.max` for all.
  ///   - since: The time of the earliest entry; nil for no limit.
  ///   - app: The id of an app; nil for the entries of all apps.
  package func latestEntries(
    _ most: Int, since: UTCTime?, app: String?, _ receive: (String) throws -> Void
  ) async throws {
    if most == .max { return try await entries(since: since, app: app, receive) }
    if most <= OwnerCommand.mostEntries {
      for json in try await page(since, app, limit: most, after: nil) { try receive(json) }
      return
    }
    let start: Int
    if since == nil, app == nil {
      // The entries have consecutive numbers.
      start = max(0, (try await page(nil, nil, limit: 1, after: nil).last.flatMap(Self.number) ?? 0) - most)
    } else {
      start = try await beginning(ofLatest: most, since, app)
    }
    try await entries(since: since, app: app, after: start, most: most, receive)
  }

  /// Returns the identifier of the last entry before the newest `most` entries. The function keeps no entries in
  /// memory, because the log can have a million entries.
  private func beginning(ofLatest most: Int, _ since: UTCTime?, _ app: String?) async throws -> Int {
    var pages: [(after: Int, count: Int)] = []
    try await self.pages(since, app, after: 0) { after, page in
      pages.append((after, page.count))
      return true
    }
    var excess = pages.reduce(0) { $0 + $1.count } - most
    guard excess > 0 else { return 0 }
    for page in pages {
      if excess <= page.count {
        return try await self.page(since, app, limit: excess, after: page.after).last.flatMap(Self.number) ?? 0
      }
      excess -= page.count
    }
    return 0
  }

  /// Reads pages of log entries until `receive` returns false. The arguments of `receive` are the identifier of the
  /// entry before the page, and the entries as JSON.
  private func pages(
    _ since: UTCTime?, _ app: String?, after last: Int, _ receive: (Int, [String]) throws -> Bool
  ) async throws {
    var last = last
    while true {
      let page = try await page(since, app, limit: OwnerCommand.mostEntries, after: last)
      // Without this check of the entry numbers, the loop could request the same page forever.
      guard try receive(last, page), page.count == OwnerCommand.mostEntries, let next = page.last.flatMap(Self.number),
        next > last
      else { return }
      last = next
    }
  }

  private func page(_ since: UTCTime?, _ app: String?, limit: Int, after: Int?) async throws -> [String] {
    try await repeated(.owner(.log(since: since, app: app, limit: limit, after: after))).messages.map(\.json)
  }

  /// Sends a command. If the gateway refuses the command because of too many commands, the function sends the command
  /// again later.
  func repeated(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    while true {
      do {
        return try await perform(command)
      } catch let error as LineError where error.code == .rateLimited {
        try await pause()
      }
    }
  }

  private static func number(_ json: String) -> Int? { EntryMessage(json: json)?.entry }
}
