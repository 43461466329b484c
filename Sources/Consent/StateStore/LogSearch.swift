package import Base
package import LineProtocol

/// The state of a search in the disclosure log. The search has many short steps, so that other callers of the store do
/// not wait long.
package struct LogSearch: Sendable {
  private let since: UTCTime?
  private let app: AppID?
  private let isNewestFirst: Bool
  /// The sequence numbers of the entries that are not read yet: greater than `after`, and at most `last`.
  private var after: Int64
  private var last = Int64.max
  /// The maximum count of entries that the search may still return.
  private var rest: Int
  package private(set) var isOver: Bool

  /// Creates a search for the log entries that fulfill all conditions.
  ///
  /// - Parameters:
  ///   - sequence: The search finds only entries with a greater sequence number.
  ///   - since: The earliest time at which the entries were written, by the wall clock; nil for any time.
  ///   - app: The app of the entries; nil for all apps.
  ///   - newestFirst: Whether the search finds the newest entry first, instead of the oldest one.
  ///   - limit: The maximum count of entries.
  package init(
    after sequence: Int64 = 0, since: UTCTime? = nil, app: AppID? = nil, newestFirst: Bool = false, limit: Int
  ) {
    self.since = since
    self.app = app
    isNewestFirst = newestFirst
    after = sequence
    rest = max(limit, 0)
    isOver = rest == 0
  }

  /// Reads at most `most` further log entries, and returns the entries that fulfill the conditions of the search.
  /// Entries that this version cannot decode are left out.
  fileprivate mutating func read(_ opened: StateDatabase, most: Int) throws(SQLiteFailure) -> [LogEntry] {
    let most = since == nil && app == nil ? min(most, rest) : most
    let statement = isNewestFirst ? opened.selectNewestEntries : opened.selectEntries
    let rows = try statement.rows(
      .integer(after), .integer(last), .text(since?.iso8601), .text(app?.name), .integer(Int64(most))
    ) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (sequence: row.integer(0), entry: row.boolean(18) ? LogEntry(reading: row) : nil)
    }
    if let end = rows.last?.sequence {
      // The number is greater than `after`, so the subtraction cannot overflow.
      if isNewestFirst { last = end - 1 } else { after = end }
    }
    let found = rows.lazy.compactMap(\.entry).prefix(rest)
    rest -= found.count
    isOver = rest == 0 || rows.count < most
    return Array(found)
  }
}

extension StateStore {
  /// Reads at most `most` further log entries, and returns the entries that fulfill the conditions of the search.
  /// Entries may be added and removed between two calls.
  package func continueSearch(_ search: inout LogSearch, reading most: Int) throws(StoreError) -> [LogEntry] {
    let copy = search
    let (next, found) = try perform("read the log in") { (opened) throws(SQLiteFailure) in
      var next = copy
      let found = try next.read(opened, most: most)
      return (next, found)
    }
    search = next
    return found
  }

  /// Returns the log entries that fulfill all conditions, at most `limit`. The parameters are those of
  /// `LogSearch.init`.
  package func entries(
    after sequence: Int64 = 0, since: UTCTime? = nil, app: AppID? = nil, newestFirst: Bool = false, limit: Int
  ) throws(StoreError) -> [LogEntry] {
    var search = LogSearch(after: sequence, since: since, app: app, newestFirst: newestFirst, limit: limit)
    var entries: [LogEntry] = []
    while !search.isOver { entries += try continueSearch(&search, reading: 1000) }
    return entries
  }
}
