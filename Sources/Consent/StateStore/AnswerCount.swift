package import Base
package import LineProtocol

/// The key of a counter in the database. The counter is the count of an app's requests that ended without a fix, with
/// one error, in one hour or day. After three days, the 24 counters of a day become one. The counters are not
/// authenticated.
package struct AnswerKey: Hashable, Sendable {
  /// The hour in UTC, for example `2026-11-21T07`; for older counters the day, for example `2026-11-21`.
  package let period: String
  package let app: AppID
  /// The name of the error that the app received, for example `no-press`; `cancelled` if the app cancelled the request;
  /// `ignored-` and a reason if the gateway ignored a message of the app.
  package let answer: String

  package init(period: String, app: AppID, answer: String) {
    self.period = period
    self.app = app
    self.answer = answer
  }
}

extension StateStore {
  /// Adds counts to the counters of requests that ended without a fix. Counters of hours that are more than three days
  /// before `now` become counters of days.
  package func addAnswers(_ counts: [AnswerKey: Int], now: UTCTime) throws(StoreError) {
    let day = UTCTime(nanosecondsSince1970: now.nanosecondsSince1970 - 3 * 86_400_000_000_000).day
    try perform("count answers in") { (opened) throws(SQLiteFailure) in
      try opened.database.transaction { () throws(SQLiteFailure) in
        for (key, count) in counts {
          try opened.addAnswer.run(
            .text(key.period), .text(key.app.name), .text(key.answer), .integer(Int64(count)))
        }
        try opened.addHoursToDays.run(.text(day))
        try opened.removeHours.run(.text(day))
      }
    }
  }

  /// Returns the counts of requests that ended without a fix since the beginning of the hour or day of `since`. If
  /// `since` is nil, returns all counts.
  package func answers(since: UTCTime? = nil) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    try perform("read answers in") { (opened) throws(SQLiteFailure) in
      try opened.selectAnswers.rows(.text(since?.hour ?? ""), .text(since?.day ?? "")) {
        (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        guard let app = AppID(row.text(1)) else {
          throw SQLiteFailure(unreadable: "the table of answers contains an invalid app name")
        }
        // The saved counts are not authenticated. The limit prevents an overflow when counts are added.
        let count = min(max(row.integer(3), 0), Int64(Int32.max))
        return (AnswerKey(period: row.text(0), app: app, answer: row.text(2)), Int(count))
      }
    }
  }
}
