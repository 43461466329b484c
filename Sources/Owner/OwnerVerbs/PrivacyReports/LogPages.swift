package import Clocks
import LineProtocol

extension OwnerGateway {
  /// Tells the entries of the log, oldest first, some at a time: it may be long.
  /// - Parameter last: the number of the entry before the first.
  /// - Throws: whatever the way to the gateway throws.
  package func entries(since: UTCTime?, app: String?, after last: Int = 0, _ heard: (String) -> Void) async throws {
    var last = last
    while true {
      let command = OwnerCommand.log(since: since, app: app, limit: OwnerCommand.mostEntries, after: last)
      let page = try await perform(.owner(command)).messages.map(\.json)
      for json in page { heard(json) }
      // What does not go on has no end.
      guard page.count == OwnerCommand.mostEntries, let next = page.last.flatMap({ EntryMessage(json: $0)?.entry }),
        next > last
      else { return }
      last = next
    }
  }

  /// Tells the latest entries, oldest first; `.max` is all of them.
  package func latestEntries(
    _ most: Int, since: UTCTime?, app: String?, _ heard: (String) -> Void
  ) async throws {
    if most == .max { return try await entries(since: since, app: app, heard) }
    var latest = LatestLines(most)
    try await entries(since: since, app: app) { latest.take($0) }
    for line in latest.all { heard(line) }
  }
}

/// The latest of many lines.
struct LatestLines {
  private let most: Int
  /// Fewer than twice as many as are wanted.
  private(set) var kept: [String] = []

  /// - Parameter most: one or more.
  init(_ most: Int) { self.most = most }

  var all: ArraySlice<String> { kept.suffix(most) }

  mutating func take(_ line: String) {
    kept.append(line)
    // Many at a time: those that stay are moved.
    if kept.count >= 2 * most { kept.removeFirst(kept.count - most) }
  }
}
