package import Base
package import LineProtocol

/// A report for the owner: which app has asked for the location, when, and with which result. The report contains no
/// positions.
///
/// The data comes from the disclosure log, and from the counts of requests that ended without a fix.
package struct PrivacyReport: Equatable, Sendable {
  /// A fix that was sent to an app. In a report about a long disclosure log, one value can stand for several fixes.
  package struct Fix: Equatable, Sendable {
    package var time: UTCTime
    package var accuracy: FixAccuracy
    /// The outcome of the fix, as in `acknowledged`; nil while unknown.
    package var outcome: String?
    /// The transport over which the fix was sent, as in `unix` or `file`.
    package var transport = ""
    /// The count of fixes that this value stands for.
    package var count = 1
    /// The time of the last fix that this value stands for.
    package var last: UTCTime
  }

  /// A period in which an app got updates (repeated fixes). In a report about a long disclosure log, one value can
  /// stand for several periods.
  package struct Interval: Equatable, Sendable {
    package var start: UTCTime
    /// The end of the period; nil while it continues.
    package var end: UTCTime?
    package var accuracy: FixAccuracy
    /// The count of fixes in the period; nil if unknown.
    package var fixes: Int?
    /// The count of periods that this value stands for. With several, `end` is the end of the last one.
    package var count = 1
    /// The total duration of the periods that this value stands for, without a period that continues.
    var ended = Duration.zero

    /// Returns the total duration of the periods that this value stands for. Nil if they began before the clock of the
    /// gateway was set.
    func length(until now: UTCTime) -> Duration? {
      guard start >= UTCTime.firstGateways else { return nil }
      return end == nil ? start.duration(until: now) : ended
    }
  }

  /// The count of requests of an app that got the same answer, without a fix, in one hour or on one day.
  package struct Answers: Hashable, Sendable {
    /// The day in UTC, as in `2026-11-21`.
    package var day: String
    /// The hour of the day in UTC; nil for a count of the whole day.
    package var hour: Int?
    /// The answer that the app got, as in `no-press` (no press of the button came in time).
    package var answer: String
    package var count: Int

    /// The beginning of the hour or of the day; nil if the date does not exist.
    var start: UTCTime? {
      let hour = hour ?? 0
      return UTCTime(iso8601: "\(day)T\(hour < 10 ? "0" : "")\(hour):00:00Z")
    }
  }

  /// A decision about an app: the answer to a prompt (a question to the user), or the end of an authorization with a
  /// time limit.
  package struct Consent: Equatable, Sendable {
    package var time: UTCTime
    /// The kind of the prompt (the question to the user), as in `authorize`; nil for the end of an authorization.
    package var kind: String?
    /// The authorization that has ended, and the status after it; nil for an answer.
    package var end: End?
    /// The answer and its accuracy, as in `while-using, reduced`.
    package var choice: String
    /// How the person has answered, as in `button` or `user 1000`.
    package var way: String
    /// The language of the prompt (the question to the user); nil if its text was not shown.
    package var language: String?
    /// The purpose that the app gave and that the prompt (the question to the user) showed; nil if there was none, or
    /// if no text was shown.
    package var purpose: String?

    package struct End: Equatable, Sendable {
      package var right: String?
      package var status: String?
    }
  }

  package struct App: Equatable, Sendable {
    package var name: String
    package var fixes: [Fix] = []
    /// The events that were sent to the app because the device crossed the border of a region. The events contain no
    /// position.
    package var borders: [Fix] = []
    package var intervals: [Interval] = []
    package var answers: [Answers] = []
    package var consents: [Consent] = []

    /// The count of fixes that were sent to the app.
    package var fixCount: Int { fixes.reduce(0) { $0 + $1.count } }
    /// The count of events that were sent to the app about borders of regions.
    var borderCount: Int { borders.reduce(0) { $0 + $1.count } }
    /// The count of periods in which the app got updates.
    var intervalCount: Int { intervals.reduce(0) { $0 + $1.count } }

    /// The count of requests: fixes, periods of updates (repeated fixes), and requests without a fix.
    package var requests: Int { fixCount + intervalCount + answers.reduce(0) { $0 + $1.count } }

    /// The count of requests without a fix for each answer, the greatest count first.
    package var answerCounts: [(answer: String, count: Int)] {
      Dictionary(grouping: answers, by: \.answer).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The count of fixes for each outcome, the greatest count first.
    package var outcomeCounts: [(outcome: String, count: Int)] {
      Dictionary(grouping: fixes) { $0.outcome ?? "open" }.map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The count of fixes for each transport, the greatest count first.
    package var transportCounts: [(transport: String, count: Int)] {
      Dictionary(grouping: fixes, by: \.transport).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .filter { !$0.0.isEmpty }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// Returns the count of fixes with an accuracy.
    func count(of accuracy: FixAccuracy) -> Int {
      fixes.reduce(0) { $0 + ($1.accuracy == accuracy ? $1.count : 0) }
    }

    /// The time at which the app last got something: a fix, an event of a region, or updates. Nil if it got nothing.
    package var last: UTCTime? { ((fixes + borders).map(\.last) + intervals.map { $0.end ?? $0.start }).max() }
  }

  package var gateway: String
  package var language: Language
  /// The beginning of the period that the report is about.
  package var from: UTCTime
  /// The beginning of the timeline. Counts for a whole day have no time of day. If they are the earliest data, the
  /// timeline begins at the first entry or hour of that day.
  var axisStart: UTCTime
  /// Whether the timeline shows requests without a fix by the hour. A timeline of more than three days shows them by
  /// the day.
  var countsHours: Bool { axisStart.duration(until: to) < .seconds(3 * 86_400) }
  /// The end of the period that the report is about: the time of its creation.
  package var to: UTCTime
  /// The result of the verification of the disclosure log, as text.
  package var logState: String
  package var isLogGood: Bool
  /// Texts about data that features of the gateway show to other users of the machine.
  package var notices: [String]
  /// The apps, sorted by their count of requests, the greatest first.
  package var apps: [App]

  /// - Parameters:
  ///   - gateway: The name of the gateway.
  ///   - since: The beginning of the report; nil for the whole log.
  ///   - now: The end of the report.
  ///   - entries: The requests in the disclosure log.
  ///   - answers: The counts of requests that ended without a fix, as JSON. Each one is about one app, one answer, and
  ///     one hour or day.
  ///   - logState: The result of the verification of the log, as text.
  ///   - isLogGood: Whether the verification found no fault.
  ///   - notices: Texts about data that features show to other users.
  ///   - language: The language of the text.
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
