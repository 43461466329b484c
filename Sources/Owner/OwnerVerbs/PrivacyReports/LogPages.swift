package import Clocks
import LineProtocol

extension OwnerGateway {
  /// Reads the entries of the log in pages, oldest first. Passes the JSON of each entry to `receive`.
  /// - Parameter last: the number of an entry. The function reads only entries with higher numbers.
  /// - Throws: The error of the connection to the gateway.
  package func entries(since: UTCTime?, app: String?, after last: Int = 0, _ receive: (String) -> Void) async throws {
    var last = last
    while true {
      let command = OwnerCommand.log(since: since, app: app, limit: OwnerCommand.mostEntries, after: last)
      let page = try await perform(.owner(command)).messages.map(\.json)
      for json in page { receive(json) }
      // Without this check of the entry numbers, the loop could request the same page forever.
      guard page.count == OwnerCommand.mostEntries, let next = page.last.flatMap({ EntryMessage(json: $0)?.entry }),
        next > last
      else { return }
      last = next
    }
  }

  /// Reads the latest entries, oldest first.
  /// - Parameter most: the maximum number of entries; `.max` for all.
  package func latestEntries(
    _ most: Int, since: UTCTime?, app: String?, _ receive: (String) -> Void
  ) async throws {
    if most == .max { return try await entries(since: since, app: app, receive) }
    if most <= OwnerCommand.mostEntries {
      let command = OwnerCommand.log(since: since, app: app, limit: most)
      for message in try await perform(.owner(command)).messages { receive(message.json) }
      return
    }
    var latest = LatestLines(most)
    try await entries(since: since, app: app) { latest.append($0) }
    for line in latest.all { receive(line) }
  }
}

/// A buffer of the latest lines.
struct LatestLines {
  private let most: Int
  private(set) var kept: [String] = []

  init(_ most: Int) { self.most = most }

  var all: ArraySlice<String> { kept.suffix(most) }

  mutating func append(_ line: String) {
    kept.append(line)
    // The buffer removes many old lines together, because each removal moves all other lines of the array.
    if kept.count >= 2 * most { kept.removeFirst(kept.count - most) }
  }
}
