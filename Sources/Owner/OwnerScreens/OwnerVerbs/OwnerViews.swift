package import Base
package import LineProtocol

/// Reads the state of a gateway for the web page and the terminal screen. The texts are in the owner's language, but
/// the JSON keys are always the same. The state contains no position.
package struct OwnerViews<Gateway: OwnerGateway & Sendable>: Sendable {
  private let gateway: Gateway
  private let formatter: TextFormatter

  package init(of gateway: Gateway, in language: Language) {
    self.init(of: gateway, TextFormatter(unwrapped: language))
  }

  init(of gateway: Gateway, _ formatter: TextFormatter) {
    self.gateway = gateway
    self.formatter = formatter
  }

  package func status() async throws -> StatusView {
    let fields = try await gateway.perform(.status).fields
    return StatusView(
      isLocked: fields["locked"] == "true",
      rows: formatter.statusLines(fields).pairs.map { .init(label: $0.label, value: $0.value) })
  }

  package func apps() async throws -> [AppView] {
    try await gateway.perform(.owner(.apps)).messages.compactMap { AppMessage(json: $0.json) }.map { app in
      AppView(
        app: app.app, title: app.title, shown: app.shown, status: formatter.status(app), accuracy: app.accuracy,
        precision: formatter.accuracy(app.accuracy), now: formatter.now(app) ?? formatter.text(AppPhrase.idle))
    }
  }

  package func prompts() async throws -> [PromptView] {
    try await gateway.perform(.owner(.prompts)).messages.compactMap { PromptMessage(json: $0.json) }.map { prompt in
      PromptView(
        prompt: prompt.prompt, app: prompt.app, question: formatter.question(prompt),
        says: prompt.says.map { formatter.text(NotificationPhrase.says, [.app: prompt.title, .text: $0]) },
        choices: prompt.choices.split(separator: ",").compactMap { PromptChoice(rawValue: String($0)) }.map {
          .init(choice: $0, text: formatter.text(ChoicePhrase($0)))
        },
        isAboutAccuracy: prompt.accuracies != nil, press: formatter.press(prompt))
    }
  }

  /// Reads the entries that are newer than the newest entry of `log`. Returns whether new entries exist.
  /// - Parameter count: the maximum number of entries that `log` keeps.
  package func read(into log: inout LogView, count: Int) async throws -> Bool {
    let command =
      log.last.map { OwnerCommand.log(since: nil, app: nil, limit: OwnerCommand.mostEntries, after: $0) }
      ?? .log(since: nil, app: nil, limit: count)
    let new: [EntryMessage] = try await gateway.perform(.owner(command)).messages.all()
    log.entries = (log.entries + new).suffix(count)
    return !new.isEmpty
  }

  /// Returns the entries as text, newest first.
  package func rows(of log: LogView) -> [LogView.Row] {
    formatter.rows(log.entries).reversed().map {
      LogView.Row(time: $0.time, entry: $0.number, app: $0.app, what: $0.what)
    }
  }

  /// Executes a command and returns the result as text.
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
  package var rows: [Row]

  package var json: JSONObject {
    ["isLocked": isLocked, "rows": rows.map { ["label": $0.label, "value": $0.value] as JSONObject }]
  }
}

package struct AppView: Hashable, Sendable {
  package var app: String
  package var title: String
  /// The authorization status for programs, as in `while-using`.
  package var shown: String
  package var status: String
  package var accuracy: String
  package var precision: String
  package var now: String

  package var json: JSONObject {
    [
      "app": app, "title": title, "shown": shown, "status": status, "accuracy": accuracy, "precision": precision,
      "now": now,
    ]
  }

  /// The accuracy; nil if this version does not know it.
  package var presentAccuracy: FixAccuracy? { FixAccuracy(rawValue: accuracy) }
}

package struct PromptView: Hashable, Sendable {
  package struct Choice: Hashable, Sendable {
    package var choice: PromptChoice
    package var text: String
  }

  /// The number of the prompt.
  package var prompt: Int
  package var app: String
  package var question: String
  package var says: String?
  package var choices: [Choice]
  /// Whether an answer can also choose the accuracy.
  package var isAboutAccuracy: Bool
  /// The effect of the next press of the button, as text.
  package var press: String?

  package var json: JSONObject {
    [
      "prompt": prompt, "app": app, "question": question, "says": says,
      "choices": choices.map { ["choice": $0.choice.rawValue, "text": $0.text] as JSONObject },
      "isAboutAccuracy": isAboutAccuracy, "press": press,
    ]
  }
}

/// The latest entries of the log.
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
