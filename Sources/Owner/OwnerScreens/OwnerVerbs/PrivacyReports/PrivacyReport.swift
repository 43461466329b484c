package import Base
package import LineProtocol

/// A report to the owner (administrator) about the location requests of each app and their results. The report contains
/// no positions.
///
/// The data comes from the disclosure log (the log of each fix sent to an app), and from the counts of requests that
/// ended without a fix.
package struct PrivacyReport: Equatable, Sendable {
  /// A fix that was sent to an app, or several similar fixes combined into one value.
  package struct Fix: Equatable, Sendable {
    package var time: UTCTime
    package var accuracy: FixAccuracy
    /// The result of the delivery, for example `acknowledged`; nil while unknown.
    package var outcome: String?
    /// The transport over which the fix was sent, for example `unix` or `file`.
    package var transport = ""
    /// The count of fixes combined into this value.
    package var count = 1
    /// The time of the last of the combined fixes.
    package var last: UTCTime
  }

  /// A period of updates (repeated fixes) for an app, or several periods combined into one value.
  package struct Interval: Equatable, Sendable {
    package var start: UTCTime
    /// The end of the period, or of the last combined period; nil if the period continues.
    package var end: UTCTime?
    package var accuracy: FixAccuracy
    /// The count of fixes sent in the period; nil if unknown.
    package var fixes: Int?
    /// The count of periods combined into this value.
    package var count = 1
    /// The total duration of the combined periods that have ended.
    var ended = Duration.zero

    /// Returns the total duration of the combined periods, or the duration until `now` of a period that continues.
    /// Returns nil if the period began before the clock of the gateway was set.
    func length(until now: UTCTime) -> Duration? {
      guard start >= UTCTime.firstGateways else { return nil }
      return end == nil ? start.duration(until: now) : ended
    }
  }

  /// The count of an app's requests that ended without a fix for the same reason, in one hour or on one day.
  package struct Answers: Hashable, Sendable {
    /// The day in UTC, as in `2026-11-21`.
    package var day: String
    /// The hour of the day in UTC, 0...23; nil if the count covers the whole day.
    package var hour: Int?
    /// The error that the app received, for example `no-press` (no user pressed the button in time), or `cancelled`.
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
    /// The kind of the prompt (a question to the user), for example `authorize`; nil if the decision is the end of an
    /// authorization.
    package var kind: String?
    /// The authorization that ended at its time limit, and the status after its end. Nil if the decision is an answer
    /// to a prompt (a question to the user).
    package var end: End?
    /// The answer to the prompt (the question to the user) and the selected accuracy, for example `while-using,
    /// reduced`.
    package var choice: String
    /// The input of the answer, for example `button`, or `user 1000` for an administrator with this Unix user ID.
    package var way: String
    /// The language in which the prompt (a question to the user) was shown; nil if its text was not shown.
    package var language: String?
    /// The app's own text about the purpose of its request, as shown in the prompt (a question to the user). Nil if no
    /// such text was shown.
    package var purpose: String?

    package struct End: Equatable, Sendable {
      package var right: String?
      package var status: String?
    }
  }

  package struct App: Equatable, Sendable {
    package var name: String
    package var fixes: [Fix] = []
    /// The messages to the app that the device entered or left a region (a circle on the ground). The messages contain
    /// no position.
    package var borders: [Fix] = []
    package var intervals: [Interval] = []
    package var answers: [Answers] = []
    package var consents: [Consent] = []

    package var fixCount: Int { fixes.reduce(0) { $0 + $1.count } }
    /// The count of messages to the app that the device entered or left a region (a circle on the ground).
    var borderCount: Int { borders.reduce(0) { $0 + $1.count } }
    /// The count of periods of updates (repeated fixes) for the app.
    var intervalCount: Int { intervals.reduce(0) { $0 + $1.count } }

    /// The count of requests: fixes, periods of updates (repeated fixes), and requests without a fix.
    package var requests: Int { fixCount + intervalCount + answers.reduce(0) { $0 + $1.count } }

    /// The count of requests without a fix for each error that the app received, in descending order.
    package var answerCounts: [(answer: String, count: Int)] {
      Dictionary(grouping: answers, by: \.answer).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The count of fixes for each result of the delivery, for example `acknowledged`, in descending order.
    package var outcomeCounts: [(outcome: String, count: Int)] {
      Dictionary(grouping: fixes) { $0.outcome ?? "open" }.map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The count of fixes for each transport, for example `unix` or `file`, in descending order.
    package var transportCounts: [(transport: String, count: Int)] {
      Dictionary(grouping: fixes, by: \.transport).map { ($0.key, $0.value.reduce(0) { $0 + $1.count }) }
        .filter { !$0.0.isEmpty }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    func count(of accuracy: FixAccuracy) -> Int {
      fixes.reduce(0) { $0 + ($1.accuracy == accuracy ? $1.count : 0) }
    }

    /// The time of the last fix, region message or updates (repeated fixes) for the app; nil if the app received no
    /// data.
    package var last: UTCTime? { ((fixes + borders).map(\.last) + intervals.map { $0.end ?? $0.start }).max() }
  }

  package var gateway: String
  package var language: Language
  package var from: UTCTime
  /// The beginning of the time axis. If the earliest data is a count for a whole day, the axis begins at the first
  /// known time of that day.
  var axisStart: UTCTime
  /// Whether the timeline shows requests without a fix by the hour. A timeline of three days or more shows these
  /// requests by the day.
  var countsHours: Bool { axisStart.duration(until: to) < .seconds(3 * 86_400) }
  /// The end of the reported period: the time at which the report was created.
  package var to: UTCTime
  /// The result of the integrity check of the log of all fixes, as text.
  package var logState: String
  package var isLogGood: Bool
  /// Sentences about data that other users of the machine can see because of optional features.
  package var notices: [String]
  /// The apps, in descending order of their counts of requests.
  package var apps: [App]

  /// Creates a report from the disclosure log and from the counts of requests without a fix.
  /// - Parameters:
  ///   - gateway: The name of the gateway.
  ///   - since: The beginning of the report; nil for the whole log.
  ///   - now: The end of the report.
  ///   - entries: The requests in the disclosure log.
  ///   - answers: The counts of requests that ended without a fix, each as the JSON text of a `CountMessage`.
  ///   - logState: The result of the integrity check of the log, as text.
  ///   - isLogGood: Whether the integrity check found no fault.
  ///   - notices: Sentences about data that other users of the machine can see.
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
