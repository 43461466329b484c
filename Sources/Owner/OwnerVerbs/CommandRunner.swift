import Languages
import LineProtocol

struct CommandRunner<Gateway: OwnerGateway> {
  let gateway: Gateway
  let formatter: TextFormatter

  func report(_ verb: OwnerVerb) async throws -> OwnerReport {
    switch verb {
    case .status:
      let fields = try await perform(.status).fields
      return OwnerReport(lines: formatter.status(fields), json: [fields.json])
    case .receiver:
      let fields = try await perform(.status).fields.onReceiver
      return OwnerReport(lines: formatter.receiver(fields), json: [fields.json])
    case .apps:
      let messages = try await perform(.owner(.apps)).messages
      return OwnerReport(lines: formatter.apps(messages.all()), json: messages.map(\.json))
    case .show(let name):
      let (app, json) = try await state(of: name)
      guard let app else { throw LineError(.badArgument, "no app \(name.prefix(64)) (APPS lists the apps)") }
      return OwnerReport(lines: formatter.show(app), json: [json])
    case .allow(let app, .whileUsing): return try await set(app, .status(.whenInUse))
    case .allow(let app, .always): return try await set(app, .status(.always))
    case .deny(let app): return try await set(app, .status(.denied))
    case .accuracy(let app, let accuracy): return try await set(app, .accuracy(accuracy))
    case .reset(let app):
      _ = try await perform(.owner(.reset(app: app)))
      return try await change(of: app, otherwise: .forgotten) { formatter.change(of: $0, withAccuracy: false) }
    case .use(let app):
      _ = try await perform(.owner(.use(app: app)))
      return try await change(of: app, otherwise: .unused) { state throws(LineError) in
        // The command `use` marks every connected app as in use. While the kill switch is on, the command has no
        // effect.
        if state.isInUse != true, state.sessions ?? 0 > 0 { throw LineError(.locked, "the kill switch is on") }
        return formatter.use(of: state)
      }
    case .addKey(let app, let isToken):
      let fields = try await perform(.owner(.addKey(app: app, isToken: isToken))).fields
      let lines = formatter.made(fields[isToken ? "token" : "key"] ?? "", of: app, isToken: isToken)
      return OwnerReport(lines: lines, json: [fields.json])
    case .revokeKey(let app):
      let fields = try await perform(.owner(.revokeKey(app: app))).fields
      return OwnerReport(lines: formatter.wrapped(AppPhrase.keyRevoked, [.app: app]), json: [fields.json])
    case .prompts:
      let messages = try await perform(.owner(.prompts)).messages
      return OwnerReport(lines: formatter.prompts(messages.all()), json: messages.map(\.json))
    case .answer(let prompt, let choice, let accuracy): return try await answer(prompt, choice, accuracy)
    case .regions(let app):
      let messages = try await perform(.owner(.regions(app: app))).messages
      return OwnerReport(lines: formatter.regions(messages.all()), json: messages.map(\.json))
    case .place(let command):
      if command != .list { _ = try await perform(.owner(.place(command))) }
      let messages = try await perform(.owner(.place(.list))).messages
      return OwnerReport(lines: formatter.places(messages.all()), json: messages.map(\.json))
    case .log(let app, let count):
      let messages = try await perform(.owner(.log(since: nil, app: app, limit: count ?? 10))).messages
      return OwnerReport(lines: formatter.log(messages.all()), json: messages.map(\.json))
    case .reload:
      let fields = try await perform(.owner(.reload)).fields
      let waiting = fields["restart-for"].map { formatter.wrapped(NotificationPhrase.restartFor, [.text: $0]) }
      return OwnerReport(lines: formatter.wrapped(NotificationPhrase.reloaded) + (waiting ?? []), json: [fields.json])
    case .page:
      let fields = try await perform(.owner(.page)).fields
      let lines = formatter.page(fields["link"] ?? "", seconds: fields["expires"].flatMap { Int($0) } ?? 0)
      return OwnerReport(lines: lines, json: [fields.json])
    case .lock:
      let fields = try await perform(.owner(.lock)).fields
      return OwnerReport(lines: formatter.wrapped(NotificationPhrase.nowLocked), json: [fields.json])
    }
  }

  private func perform(
    _ command: Command
  ) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    try await gateway.perform(command)
  }

  // MARK: Apps

  /// Returns an app and its JSON message. For an unknown app, the JSON object contains only the app's name.
  private func state(of name: String) async throws -> (AppMessage?, json: String) {
    for message in try await perform(.owner(.apps)).messages {
      if let app = AppMessage(json: message.json), app.app == name { return (app, message.json) }
    }
    return (nil, JSONObject.text(["app": name]))
  }

  private func set(_ app: String, _ setting: AppSetting) async throws -> OwnerReport {
    _ = try await perform(.owner(.set(app: app, setting)))
    let isAccuracy = if case .accuracy = setting { true } else { false }
    return try await change(of: app, otherwise: .forgotten) { formatter.change(of: $0, withAccuracy: isAccuracy) }
  }

  /// Reads the state of an app after a change and formats the state as text.
  /// - Parameter phrase: the text for an app that the gateway no longer knows.
  private func change(
    of name: String, otherwise phrase: AppPhrase, _ lines: (AppMessage) throws(LineError) -> [String]
  ) async throws -> OwnerReport {
    let (app, json) = try await state(of: name)
    return OwnerReport(lines: try app.map(lines) ?? formatter.wrapped(phrase, [.app: name]), json: [json])
  }

  // MARK: Prompts

  /// The time that a user needs to read a new prompt, in milliseconds. During this time, an answer must contain the
  /// number of the prompt.
  private static var readingTime: Int { 1000 }

  private func answer(_ number: Int?, _ choice: PromptChoice, _ accuracy: FixAccuracy?) async throws -> OwnerReport {
    let prompts: [PromptMessage] = try await perform(.owner(.prompts)).messages.all()
    let open = prompts.first { number == nil || $0.prompt == number }
    guard let prompt = number ?? open?.prompt else {
      throw LineError(.expired, "cannot answer a prompt: no prompt is open")
    }
    if number == nil, prompts.count > 1 {
      throw LineError(.tooMany, "cannot answer a prompt: several prompts are open (give the prompt's number)")
    }
    if number == nil, let open, let age = open.age, age < Self.readingTime { throw PromptTooRecent(prompt: open) }
    _ = try await perform(
      .owner(
        .answer(
          prompt: prompt, choice, accuracy: accuracy, on: PromptDisplay(language: formatter.language.rawValue))))
    let object: JSONObject = [
      "prompt": prompt, "app": open?.app, "choice": choice.rawValue, "accuracy": accuracy?.rawValue,
    ]
    return OwnerReport(lines: formatter.answered(open, choice, accuracy), json: [object.text])
  }
}

/// The error for an answer without a prompt number, if the answer came before the user could read the prompt.
struct PromptTooRecent: Error {
  var prompt: PromptMessage
}

extension [ServerLine.Message] {
  /// Decodes the messages. Messages that this version cannot decode are left out.
  func all<Contents: OwnerMessage>() -> [Contents] { compactMap { Contents(json: $0.json) } }
}

extension ServerLine.Fields {
  /// The fields as one JSON object. Every value is a string.
  package var json: String {
    var object: JSONObject = [:]
    for pair in pairs { object.add(pair.key, pair.value) }
    return object.text
  }

  fileprivate var onReceiver: ServerLine.Fields {
    let keys: Set = [
      "receiver", "fix", "sats", "source", "fix-age", "frames", "errors", "rejected-fields", "unknown-fields",
      "date", "line", "model",
      "receiver-power-fault", "wake-ups",
    ]
    var fields = self
    fields.pairs.removeAll { !keys.contains($0.key) && !$0.key.hasPrefix("settings") }
    return fields
  }
}
