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
    /// The transport of the log, as in `unix` or `file`.
    package var transport = ""
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

  /// The number of requests of an app with the same answer in one hour or on one day.
  package struct Answers: Hashable, Sendable {
    /// The day in UTC, as in `2026-11-21`.
    package var day: String
    /// The hour in UTC; nil if the count is about the whole day.
    package var hour: Int?
    /// The answer, as in `no-press`.
    package var answer: String
    package var count: Int

    /// The beginning of the hour or day; nil if the day does not exist.
    var start: UTCTime? {
      let hour = hour ?? 0
      return UTCTime(iso8601: "\(day)T\(hour < 10 ? "0" : "")\(hour):00:00Z")
    }
  }

  /// A user's answer to a prompt about an app, or the end of an authorization that an owner gave for a time.
  package struct Consent: Equatable, Sendable {
    package var time: UTCTime
    /// The kind of the prompt, as in `authorize`; nil for the end of an authorization.
    package var kind: String?
    /// The authorization that ended, and the status that came back, as in `whenInUse` and `denied`; nil for an answer.
    package var end: End?
    /// The answer with its accuracy, as in `while-using, reduced`.
    package var choice: String
    /// The way in which the user answered, as in `button` or `user 1000`.
    package var way: String
    /// The language of the prompt's text; nil if no text was shown.
    package var language: String?
    /// The purpose of the app, as the prompt showed it; nil if no text was shown, or if the text had no purpose.
    package var purpose: String?

    package struct End: Equatable, Sendable {
      package var right: String?
      package var status: String?
    }
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

    /// The number of fixes for each transport, most frequent first.
    package var transportCounts: [(transport: String, count: Int)] {
      Dictionary(grouping: fixes, by: \.transport).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .filter { !$0.0.isEmpty }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The number of fixes of an accuracy.
    func count(of accuracy: FixAccuracy) -> Int {
      fixes.reduce(0) { $0 + ($1.accuracy == accuracy ? $1.count : 0) }
    }

    /// The time of the latest fix, notification about a border, or period; nil if the app received nothing.
    package var last: UTCTime? { ((fixes + borders).map(\.last) + intervals.map { $0.end ?? $0.start }).max() }
  }

  package var gateway: String
  package var language: Language
  /// The beginning of the time that the report covers.
  package var from: UTCTime
  /// The beginning of the timeline. If the counts of a whole day are the earliest data, the timeline begins at the first
  /// entry or hour of that day, because the time of day of these counts is unknown.
  var axisStart: UTCTime
  /// Whether the timeline is shorter than three days, so that it shows the hours of the requests without a fix.
  var countsHours: Bool { axisStart.duration(until: to) < .seconds(3 * 86_400) }
  /// The end of the time that the report covers: the time at which the report was generated.
  package var to: UTCTime
  /// The state of the log, as text.
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
    isLogGood: Bool, notices: [String] = [], language: Language = .english
  ) {
    self.gateway = gateway
    self.language = language
    self.notices = notices
    self.logState = logState
    self.isLogGood = isLogGood
    to = now
    var (first, firstTime) = (entries.first, entries.first)
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
      let answers = Answers(day: count.day, hour: count.hour, answer: count.answer, count: count.count)
      apps[count.app, default: App(name: count.app)].answers.append(answers)
      guard let start = answers.start, start >= UTCTime.firstGateways else { continue }
      first = min(first ?? start, start)
      if count.hour != nil { firstTime = min(firstTime ?? start, start) }
    }
    from = since ?? first ?? now
    axisStart = from
    if since == nil, let firstTime, firstTime.iso8601.prefix(10) == from.iso8601.prefix(10) { axisStart = firstTime }
    self.apps = apps.values.sorted { ($1.requests, $0.name) < ($0.requests, $1.name) }
  }
}
