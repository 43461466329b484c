package import Base
package import LineProtocol

/// A report of the location requests of each app and their results. The sources are the disclosure log and the counts
/// of the requests that ended without a fix. The report contains no positions.
package struct PrivacyReport: Equatable, Sendable {
  /// A fix that an app received. In the report of a long log, it stands for several fixes.
  package struct Fix: Equatable, Sendable {
    package var time: UTCTime
    package var accuracy: FixAccuracy
    /// The outcome, as in `acknowledged`. Nil while the outcome is not known yet.
    package var outcome: String?
    /// The number of fixes for which this value stands.
    package var count = 1
    /// The time of the last of these fixes.
    package var last: UTCTime
  }

  /// A period in which an app received fixes continuously. In the report of a long log, it stands for several periods.
  package struct Interval: Equatable, Sendable {
    package var start: UTCTime
    /// The end of the period. Nil while the period continues.
    package var end: UTCTime?
    package var accuracy: FixAccuracy
    /// The number of fixes in the period. Nil if the number is unknown.
    package var fixes: Int?
    /// The number of periods. If there are several, `end` is the end of the last one.
    package var count = 1
    /// The total duration of the periods that have ended.
    var ended = Duration.zero

    /// Returns the total duration, or nil if the period began before the gateway's clock was set.
    func length(until now: UTCTime) -> Duration? {
      guard start >= UTCTime.firstGateways else { return nil }
      return end == nil ? start.duration(until: now) : ended
    }
  }

  /// The number of requests of an app with the same answer on one day.
  package struct Answers: Equatable, Sendable {
    /// The day in UTC, as in `2026-11-21`.
    package var day: String
    /// The answer, as in `no-press`.
    package var answer: String
    package var count: Int
  }

  /// A user's answer to a prompt about an app.
  package struct Consent: Equatable, Sendable {
    package var time: UTCTime
    /// The kind of the prompt, as in `authorize`.
    package var kind: String
    /// The answer with its accuracy, as in `while-using, reduced`.
    package var choice: String
    /// The way in which the user answered, as in `button` or `user 1000`.
    package var way: String
    /// The language of the prompt's text; nil if no text was shown.
    package var language: String?
    /// The purpose of the app, as the prompt showed it; nil if no text was shown, or if the text had no purpose.
    package var purpose: String?
  }

  package struct App: Equatable, Sendable {
    package var name: String
    package var fixes: [Fix] = []
    /// The times at which the app received a notification about the border of a region. These notifications contain no
    /// position.
    package var borders: [Fix] = []
    package var intervals: [Interval] = []
    package var answers: [Answers] = []
    package var consents: [Consent] = []

    /// The number of fixes.
    package var fixCount: Int { fixes.reduce(0) { $0 + $1.count } }
    /// The number of notifications about borders of regions.
    var borderCount: Int { borders.reduce(0) { $0 + $1.count } }
    /// The number of periods in which the app received fixes continuously.
    var intervalCount: Int { intervals.reduce(0) { $0 + $1.count } }

    /// The number of requests: fixes, periods, and requests without a fix.
    package var requests: Int { fixCount + intervalCount + answers.reduce(0) { $0 + $1.count } }

    /// The number of requests for each answer, most frequent first.
    package var answerCounts: [(answer: String, count: Int)] {
      Dictionary(grouping: answers, by: \.answer).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The number of fixes for each outcome, most frequent first.
    package var outcomeCounts: [(outcome: String, count: Int)] {
      Dictionary(grouping: fixes) { $0.outcome ?? "open" }.map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The number of fixes of each accuracy, as in `2 precise, 1 approximate`.
    var accuracies: String {
      func count(_ accuracy: FixAccuracy) -> Int { fixes.reduce(0) { $0 + ($1.accuracy == accuracy ? $1.count : 0) } }
      let names = count(.place)
      return "\(count(.full)) precise, \(count(.reduced)) approximate"
        + (names == 0 ? "" : ", \(PrivacyReport.plural(names, "place name"))")
    }

    /// The time of the latest fix, notification about a border, or period; nil if the app received nothing.
    package var last: UTCTime? { ((fixes + borders).map(\.last) + intervals.map { $0.end ?? $0.start }).max() }
  }

  package var gateway: String
  /// The beginning of the time that the report covers.
  package var from: UTCTime
  /// The end of the time that the report covers: the time at which the report was generated.
  package var to: UTCTime
  /// The state of the log, in the words of `onefix log --verify`.
  package var logState: String
  package var isLogGood: Bool
  /// Texts about the data that features show to other users.
  package var notices: [String]
  /// The apps. The app with the most requests is the first.
  package var apps: [App]

  /// - Parameters:
  ///   - entries: the requests of the log's entries.
  ///   - answers: the counts of the requests that ended without a fix. Each JSON message is about one day, one app and
  ///     one answer.
  package init(
    gateway: String, since: UTCTime?, now: UTCTime, entries: LoggedRequests, answers: [String], logState: String,
    isLogGood: Bool, notices: [String] = []
  ) {
    self.gateway = gateway
    self.notices = notices
    self.logState = logState
    self.isLogGood = isLogGood
    to = now
    var first = entries.first
    // One request for a region can cause many disclosures, so these disclosures do not count as requests.
    var apps = entries.closed.apps.mapValues { app in
      var app = app
      app.borders = app.fixes.filter { $0.outcome == "region" }
      // The log contains two entries for a postponed fix. Only the second entry, from the time of the disclosure,
      // counts.
      app.fixes.removeAll { ["region", "postponed"].contains($0.outcome) }
      return app
    }
    for count in answers.compactMap({ CountMessage(json: $0) }) where (0...Int(Int32.max)).contains(count.count) {
      apps[count.app, default: App(name: count.app)].answers.append(
        Answers(day: count.day, answer: count.answer, count: count.count))
      guard let day = UTCTime(iso8601: count.day + "T00:00:00Z"), day >= UTCTime.firstGateways else { continue }
      first = min(first ?? day, day)
    }
    from = since ?? first ?? now
    self.apps = apps.values.sorted { ($1.requests, $0.name) < ($0.requests, $1.name) }
  }
}

extension PrivacyReport {
  package static func words(_ answer: String) -> String { answers[answer] ?? answer }

  /// The words for the answers to requests.
  private static let answers = [
    "no-press": "no press", "cancelled": "withdrawn by the app",
    "rate-limited": "too soon after an unanswered question",
    "already-armed": "already waiting for a press", "no-fix": "no fix found", "receiver-absent": "receiver absent",
    "indicator": "the light failed", "store": "the log could not be written",
  ]

  /// Returns a count with its noun, as in `3 fixes`.
  package static func plural(_ count: Int, _ noun: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : many ?? noun + "s")"
  }

  /// Returns a duration as in `1 h 20 min`.
  private static func words(_ length: Duration) -> String {
    let minutes = (length.components.seconds + 30) / 60
    if minutes >= 48 * 60 { return "\(minutes / 1440) d \(minutes / 60 % 24) h" }
    return minutes >= 60 ? "\(minutes / 60) h \(minutes % 60) min" : "\(minutes) min"
  }

  /// Returns the number of the periods and their total duration, as in `2 times, 1 h 20 min together`.
  func following(_ intervals: [Interval]) -> String {
    let lengths = intervals.compactMap { $0.length(until: to) }
    let count = intervals.reduce(0) { $0 + $1.count }
    let unknown = intervals.reduce(0) { $0 + ($1.length(until: to) == nil ? $1.count : 0) }
    var text = Self.plural(count, "time")
    if !lengths.isEmpty { text += ", \(Self.words(lengths.reduce(.zero, +))) together" }
    if unknown > 0 {
      text += lengths.isEmpty ? ", duration unknown" : ", \(unknown) of unknown duration"
      text += " because the clock was not set"
    }
    return text
  }

  package var text: String {
    var lines = ["privacy report of \(gateway), \(from.iso8601) to \(to.iso8601)", "log \(logState)"]
    lines += notices + [""]
    if apps.isEmpty { lines.append("no app has asked for the location") }
    for app in apps {
      lines.append(app.name)
      lines.append("  asked     \(Self.plural(app.requests, "time"))")
      if !app.fixes.isEmpty {
        lines.append(
          "  given     \(Self.plural(app.fixCount, "fix", "fixes")): \(app.accuracies) ("
            + app.outcomeCounts.map { "\($0.count) \($0.outcome)" }.joined(separator: ", ") + ")")
      }
      if !app.borders.isEmpty { lines.append("  notified  \(Self.plural(app.borderCount, "region border"))") }
      if !app.intervals.isEmpty {
        lines.append("  followed  \(following(app.intervals))")
      }
      if !app.answers.isEmpty {
        lines.append(
          "  not given " + app.answerCounts.map { "\($0.count) × \(Self.words($0.answer))" }.joined(separator: ", "))
      }
      for consent in app.consents {
        lines.append(
          "  answered  \(consent.time.iso8601) \(consent.kind): \(consent.choice), by \(consent.way), "
            + (consent.language.map { "shown in \($0)" } ?? "no text shown")
            + (consent.purpose.map { ", “\($0)”" } ?? ""))
      }
      lines.append("  last      \(app.last?.iso8601 ?? "never given")")
    }
    return lines.joined(separator: "\n")
  }
}
