package import Base
package import LineProtocol

/// A reader of the state of a gateway for the web page and for the terminal program `onefix top`. The texts are in one
/// language; the JSON keys are always the same. The state contains no position.
package struct OwnerViews<Gateway: OwnerGateway & Sendable>: Sendable {
  private let gateway: Gateway
  private let formatter: TextFormatter

  package init(of gateway: Gateway, in language: Language) {
    self.init(of: gateway, TextFormatter(unwrapped: language))
  }

  init(of gateway: Gateway, _ formatter: TextFormatter) {
    self.gateway = gateway
    var formatter = formatter
    formatter.endTime = { gateway.localTime(of: $0) }
    self.formatter = formatter
  }

  package func status() async throws -> StatusView {
    let fields = try await gateway.perform(.status).fields
    return StatusView(
      isLocked: fields["locked"] == "true", light: formatter.text(GatewayPhrase.light),
      lastPress: formatter.text(GatewayPhrase.lastPress),
      pattern: fields["indicator-pattern"]?.split(separator: ",").compactMap { Int($0) } ?? [],
      rows: formatter.statusLines(fields).pairs.map { .init(label: $0.label, value: $0.value) })
  }

  /// Returns the strengths of the signals, by constellation. The result has no direction and no number of a satellite:
  /// together with the time, these would reveal the approximate position.
  package func signals() async throws -> [SignalView] {
    let satellites: [SatelliteMessage] = try await gateway.perform(.owner(.sky)).messages.all()
    return Dictionary(grouping: satellites, by: { $0.gnss ?? "" }).sorted { $0.key < $1.key }.map { gnss, satellites in
      let bars = satellites.map { SignalView.Bar(strength: $0.ss ?? 0, isUsed: $0.used == true) }
        .sorted { ($0.strength, $0.isUsed ? 1 : 0) > ($1.strength, $1.isUsed ? 1 : 0) }
      let used = bars.count(where: \.isUsed)
      return SignalView(
        constellation: SignalView.names[gnss] ?? (gnss.isEmpty ? "?" : gnss),
        text: formatter.text(
          ReceiverPhrase.signals,
          [.count: "\(used)", .number: "\(bars.count)", .value: "\(bars.first?.strength ?? 0)"]), bars: bars)
    }
  }

  package func apps() async throws -> [AppView] {
    try await gateway.perform(.owner(.apps)).messages.compactMap { AppMessage(json: $0.json) }.map { app in
      AppView(
        app: app.app, title: app.title, shown: app.shown, status: formatter.status(app),
        statusWithEnd: app.until.map { _ in formatter.statusWithEnd(app) }, until: app.until.map(TextFormatter.time),
        limited: app.until.map { _ in
          formatter.text(AppPhrase.endsAt, [.value: formatter.status(app), .time: "{time}"])
        }, accuracy: app.accuracy,
        precision: formatter.accuracy(app.accuracy), now: formatter.now(app) ?? formatter.text(AppPhrase.idle),
        isActive: formatter.now(app) != nil,
        waits: app.isNext == true
          ? formatter.text(
            AppPhrase.waitsForPress, [.app: formatter.title(app.title, isForEachPress: app.isForEachPress)]) : nil,
        says: app.says.map { formatter.text(NotificationPhrase.says, [.app: app.title, .text: $0]) })
    }
  }

  package func prompts() async throws -> [PromptView] {
    let prompts: [PromptMessage] = try await gateway.perform(.owner(.prompts)).messages.all()
    return prompts.map { view(of: $0) }
  }

  func view(of prompt: PromptMessage) -> PromptView {
    PromptView(
      prompt: prompt.prompt, app: prompt.app, question: formatter.question(prompt),
      says: prompt.says.map { formatter.text(NotificationPhrase.says, [.app: prompt.title, .text: $0]) },
      choices: formatter.offered(prompt).map {
        .init(choice: $0, text: formatter.answerText($0.rawValue, to: prompt.kind))
      },
      isAboutAccuracy: prompt.accuracies != nil, press: formatter.press(prompt))
  }

  /// Appends new log entries to `log`, and returns whether there were new entries.
  /// - Parameters:
  ///   - log: The log on the screen. The oldest entries are removed if there are more than `count`.
  ///   - count: The maximum count of entries in `log`.
  ///   - end: The identifier of the entry after the last one to read; nil to read the newest entries. A page of older
  ///     entries does not change, so the function reads such a page only once.
  package func read(into log: inout LogView, count: Int, before end: Int? = nil) async throws -> Bool {
    if end != nil, log.last != nil { return false }
    let command =
      log.last.map { OwnerCommand.log(since: nil, app: nil, limit: OwnerCommand.mostEntries, after: $0) }
      ?? .log(since: nil, app: nil, limit: count, after: end.map { max(0, $0 - count - 1) })
    let read: [EntryMessage] = try await gateway.perform(.owner(command)).messages.all()
    let new = read.filter { $0.entry < end ?? .max }
    log.entries = (log.entries + new).suffix(count)
    return !new.isEmpty
  }

  /// Returns the log entries as rows of a text table, newest first.
  package func rows(of log: LogView) -> [LogView.Row] {
    formatter.rows(log.entries).reversed().map {
      LogView.Row(time: $0.time, entry: $0.number, app: $0.app, what: $0.what)
    }
  }

  /// Executes a command of an owner (administrator), and returns the result as lines of text.
  /// - Throws: `OwnerFailure` if the gateway refuses the command, or the error of the connection.
  package func lines(of verb: OwnerVerb) async throws -> [String] {
    try await verb.perform(on: gateway, language: formatter.language, columns: formatter.columns).lines
  }
}

package struct StatusView: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var label: String
    package var value: String
  }

  package var isLocked: Bool
  /// The label that a page shows before the state of the LED, in the language of the user.
  package var light: String
  /// The label that a page shows before the last press of the button, in the language of the user.
  package var lastPress: String
  /// The durations of the phases of the LED in milliseconds, alternately lit and dark, beginning with lit. Empty if the
  /// LED is off.
  package var pattern: [Int]
  package var rows: [Row]

  package var json: JSONObject {
    [
      "isLocked": isLocked, "light": light, "lastPress": lastPress, "pattern": pattern,
      "rows": rows.map { ["label": $0.label, "value": $0.value] as JSONObject },
    ]
  }
}

/// The signal strengths of the satellites of one constellation.
package struct SignalView: Hashable, Sendable {
  package struct Bar: Hashable, Sendable {
    /// The strength (carrier-to-noise density) in dB-Hz; 0 without a signal.
    package var strength: Int
    package var isUsed: Bool
  }

  /// The names of the constellations for users. The key is the name in the line protocol.
  fileprivate static let names = [
    "gps": "GPS", "glonass": "GLONASS", "galileo": "Galileo", "beidou": "BeiDou", "qzss": "QZSS", "navic": "NavIC",
    "sbas": "SBAS",
  ]

  package var constellation: String
  /// The count of used satellites, the count of all satellites, and the best signal strength, as one text.
  package var text: String
  package var bars: [Bar]

  package var json: JSONObject {
    [
      "constellation": constellation, "text": text,
      "bars": bars.map { ["strength": $0.strength, "isUsed": $0.isUsed] as JSONObject },
    ]
  }
}

package struct AppView: Hashable, Sendable {
  package var app: String
  package var title: String
  /// The authorization as a word of the line protocol, for example `while-using`.
  package var shown: String
  package var status: String
  /// The authorization and its end as text, for example `Always until 14:30`; nil without a time limit.
  package var statusWithEnd: String?
  /// The end of the authorization in UTC, as in `2026-11-21 07:31:34`; nil without a time limit.
  package var until: String?
  /// A text with the authorization and the placeholder `{time}` for its end; nil without a time limit. The web page
  /// inserts the end in the time zone of the browser.
  package var limited: String?
  package var accuracy: String
  package var precision: String
  package var now: String
  /// Whether the app is in use, gets updates (repeated fixes), or waits for a press of the button.
  package var isActive = false
  /// The sentence that the app waits for the next press of the button; nil if the next press gives this app no fix.
  package var waits: String?
  /// A sentence with the app's own text about the purpose of its request; nil if the app gave no purpose.
  package var says: String?

  package var json: JSONObject {
    [
      "app": app, "title": title, "shown": shown, "status": status, "until": until,
      "limited": limited,
      "accuracy": accuracy, "precision": precision,
      "now": now, "isActive": isActive, "waits": waits, "says": says,
    ]
  }

  /// The accuracy of the app's fixes; nil if the word in `accuracy` is not a known accuracy.
  package var presentAccuracy: FixAccuracy? { FixAccuracy(rawValue: accuracy) }
}

package struct PromptView: Hashable, Sendable {
  package struct Choice: Hashable, Sendable {
    package var choice: PromptChoice
    package var text: String
  }

  /// The number that identifies the prompt (a question to the user).
  package var prompt: Int
  package var app: String
  package var question: String
  package var says: String?
  package var choices: [Choice]
  /// Whether the user chooses an accuracy together with the answer.
  package var isAboutAccuracy: Bool
  /// A text that describes the effect of the next press of the button; nil if unknown.
  package var press: String?

  package var json: JSONObject {
    [
      "prompt": prompt, "app": app, "question": question, "says": says,
      "choices": choices.map { ["choice": $0.choice.rawValue, "text": $0.text] as JSONObject },
      "isAboutAccuracy": isAboutAccuracy, "press": press,
    ]
  }
}

/// Entries of the disclosure log (the log of each fix sent to an app), for one page of the screen.
package struct LogView: Sendable {
  package struct Row: Hashable, Sendable {
    package var time: String
    package var entry: String
    package var app: String
    package var what: String

    package var json: JSONObject { ["time": time, "entry": entry, "app": app, "what": what] }
  }

  fileprivate var entries: [EntryMessage] = []

  package init() {}

  fileprivate var last: Int? { entries.last?.entry }
}
