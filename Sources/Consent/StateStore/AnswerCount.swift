package import Authorization
package import Base

/// The key of a counter in the table `answer` of the database. The counter is the number of requests of one app that
/// ended without a fix, with one error and on one day. The disclosure log does not contain these requests, and the
/// saved counters are not authenticated.
package struct AnswerKey: Hashable, Sendable {
  /// The day in UTC, for example `2026-11-21`.
  package let day: String
  package let app: AppID
  /// The name of the error that the app received, for example `no-press`. The value is `cancelled` if the app cancelled
  /// the request, and `ignored-` with a reason if the gateway ignored a message of the app.
  package let answer: String

  package init(day: String, app: AppID, answer: String) {
    self.day = day
    self.app = app
    self.answer = answer
  }
}

extension StateStore {
  /// Adds counts to the counters with the same keys in the table `answer` of the database.
  package func addAnswers(_ counts: [AnswerKey: Int]) throws(StoreError) {
    guard !counts.isEmpty else { return }
    try perform("count answers in") { (opened) throws(SQLiteFailure) in
      try opened.database.transaction { () throws(SQLiteFailure) in
        for (key, count) in counts {
          try opened.addAnswer.run(
            .text(key.day), .text(key.app.name), .text(key.answer), .integer(Int64(count)))
        }
      }
    }
  }

  /// Returns the counts of requests for the day that contains `since`, and for all later days. If `since` is nil,
  /// returns all counts.
  package func answers(since: UTCTime? = nil) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    try perform("read answers in") { (opened) throws(SQLiteFailure) in
      try opened.selectAnswers.rows(.text(since?.day ?? "")) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        guard let app = AppID(row.text(1)) else {
          throw SQLiteFailure(unreadable: "the table of answers contains an invalid app name")
        }
        // The saved counts are not authenticated. The limit prevents an overflow when counts are added.
        let count = min(max(row.integer(3), 0), Int64(Int32.max))
        return (AnswerKey(day: row.text(0), app: app, answer: row.text(2)), Int(count))
      }
    }
  }
}
