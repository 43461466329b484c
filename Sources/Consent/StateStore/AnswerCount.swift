package import Authorization
package import Clocks

/// What an app's requests came to on one day, where they came to no fix: what the log of disclosures does not tell.
/// Counts are written now and then, and are not authenticated.
package struct AnswerKey: Hashable, Sendable {
  /// As in `2026-11-21`, UTC.
  package let day: String
  package let app: AppID
  /// As the app was told, as in `no-press`, or `cancelled`.
  package let answer: String

  package init(day: String, app: AppID, answer: String) {
    self.day = day
    self.app = app
    self.answer = answer
  }
}

extension StateStore {
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

  /// - Parameter since: from the day of this time on.
  package func answers(since: UTCTime? = nil) throws(StoreError) -> [(key: AnswerKey, count: Int)] {
    try perform("read answers in") { (opened) throws(SQLiteFailure) in
      try opened.selectAnswers.rows(.text(since?.day ?? "")) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        guard let app = AppID(row.text(1)) else {
          throw SQLiteFailure(unreadable: "an app's count of answers cannot be understood")
        }
        // Counts are added up, and not authenticated: none is so large that the sum is none. No larger one is written.
        let count = min(max(row.integer(3), 0), Int64(Int32.max))
        return (AnswerKey(day: row.text(0), app: app, answer: row.text(2)), Int(count))
      }
    }
  }
}
