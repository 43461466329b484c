import Base
import LineProtocol

/// A runner that sends the commands of an owner (administrator) to the gateway, and formats the replies.
struct CommandRunner<Gateway: OwnerGateway> {
  let gateway: Gateway
  let formatter: TextFormatter

  func report(_ verb: OwnerVerb) async throws -> OwnerReport {
    var (fields, messages): (ServerLine.Fields, [ServerLine.Message]) = ([:], [])
    var sky: (fields: ServerLine.Fields, satellites: [SatelliteMessage]) = ([:], [])
    for command in verb.commands {
      (fields, messages) = try await gateway.perform(command)
      if command == .owner(.sky) { sky = (fields, messages.all()) }
    }
    func list<Contents: OwnerMessage>(_ lines: ([Contents]) -> [String]) -> OwnerReport {
      OwnerReport(lines: lines(messages.all()), json: messages.map(\.json))
    }
    func report(_ lines: [String]) -> OwnerReport { OwnerReport(lines: lines, json: [fields.json]) }
    let app = verb.values.app
    switch verb.row.answer {
    case .status: return report(formatter.status(fields))
    case .receiver:
      fields = fields.onReceiver
      return report(formatter.receiver(fields, sky: sky.fields) + formatter.satellites(sky.satellites))
    case .apps: return list(formatter.apps)
    case .app:
      let (state, json) = state(of: app, in: messages)
      guard let state else { throw LineError(.badArgument, "no app \(app.prefix(64)) (APPS lists the apps)") }
      return OwnerReport(lines: formatter.show(state), json: [json])
    case .change, .accuracyChange:
      return try change(of: app, in: messages, otherwise: .forgotten) {
        formatter.change(of: $0, withAccuracy: verb.row.answer == .accuracyChange)
      }
    case .use:
      return try change(of: app, in: messages, otherwise: .unused) { state throws(LineError) in
        // The command `use` marks every connected app as in use. While the kill switch is on, the command has no
        // effect.
        if state.isInUse != true, state.sessions ?? 0 > 0 { throw LineError(.locked, "the kill switch is on") }
        return formatter.use(of: state)
      }
    case .key:
      let isToken = verb.values.isToken
      return report(formatter.made(fields[isToken ? "token" : "key"] ?? "", of: app, isToken: isToken))
    case .done: return report(formatter.wrapped(DonePhrase(verb.row.name), [.app: app]))
    case .prompts: return list(formatter.prompts)
    case .answer: return try await answer(verb.values, messages.all())
    case .regions: return list(formatter.regions)
    case .places: return list(formatter.places)
    case .log: return list(formatter.log)
    case .reload:
      let waiting = fields["restart-for"].map { formatter.wrapped(NotificationPhrase.restartFor, [.text: $0]) }
      return report(formatter.wrapped(NotificationPhrase.reloaded) + (waiting ?? []))
    case .page:
      return report(formatter.page(fields["link"] ?? "", seconds: fields["expires"].flatMap { Int($0) } ?? 0))
    }
  }

  // MARK: Apps

  /// Returns the message about an app, and its JSON text. If the gateway does not know the app, the message is nil and
  /// the JSON text has only the id of the app.
  private func state(of name: String, in messages: [ServerLine.Message]) -> (AppMessage?, json: String) {
    for message in messages {
      if let app = AppMessage(json: message.json), app.app == name { return (app, message.json) }
    }
    return (nil, JSONObject.text(["app": name]))
  }

  /// Returns the reply to a command that changed an app.
  /// - Parameters:
  ///   - name: The id of the app.
  ///   - messages: The messages about all apps.
  ///   - phrase: The text if the gateway no longer knows the app.
  ///   - lines: Formats the state of the app.
  private func change(
    of name: String, in messages: [ServerLine.Message], otherwise phrase: AppPhrase,
    _ lines: (AppMessage) throws(LineError) -> [String]
  ) throws(LineError) -> OwnerReport {
    let (app, json) = state(of: name, in: messages)
    guard let app else { return OwnerReport(lines: formatter.wrapped(phrase, [.app: name]), json: [json]) }
    return OwnerReport(lines: try lines(app), json: [json])
  }

  // MARK: Prompts

  /// The time that a user needs to read a new prompt (a question to the user), in milliseconds. During this time, an
  /// answer must name the prompt by its identifier.
  private static var readingTime: Int { 1000 }

  private func answer(_ values: VerbValues, _ prompts: [PromptMessage]) async throws -> OwnerReport {
    let number = values.prompt
    let open = prompts.first { number == nil || $0.prompt == number }
    guard let prompt = number ?? open?.prompt else {
      throw LineError(.expired, "cannot answer a prompt: no prompt is open")
    }
    if number == nil, prompts.count > 1 {
      throw LineError(.tooMany, "cannot answer a prompt: several prompts are open (give the prompt's number)")
    }
    if number == nil, let open, let age = open.age, age < Self.readingTime { throw PromptTooRecent(prompt: open) }
    let display = PromptDisplay(language: formatter.language.rawValue)
    _ = try await gateway.perform(
      .owner(.answer(prompt: prompt, values.choice, accuracy: values.accuracy, on: display)))
    let object: JSONObject = [
      "prompt": prompt, "app": open?.app, "choice": values.choice.rawValue, "accuracy": values.accuracy?.rawValue,
    ]
    return OwnerReport(lines: formatter.answered(open, values.choice, values.accuracy), json: [object.text])
  }
}

/// The error of an answer that came before the user could read the prompt (a question to the user). The answer had no
/// identifier of a prompt.
struct PromptTooRecent: Error {
  var prompt: PromptMessage

  var error: LineError {
    LineError(
      .rateLimited, "cannot answer prompt \(prompt.prompt): it opened less than 1 s ago (give the prompt's number)")
  }
}

extension [ServerLine.Message] {
  /// Decodes the JSON of each message. Messages that do not have the type `Contents` are left out.
  func all<Contents: OwnerMessage>() -> [Contents] { compactMap { Contents(json: $0.json) } }
}

extension ServerLine.Fields {
  /// The fields as one JSON object. Each value is a string.
  package var json: String {
    var object: JSONObject = [:]
    for pair in pairs { object.add(pair.key, pair.value) }
    return object.text
  }

  /// Returns the keys and values of numbered fields. For the name `mqtt`, the keys are `mqtt-1`, `mqtt-2` and so on.
  package func numbered(_ name: String) -> [(key: String, value: String)] {
    var found: [(key: String, value: String)] = []
    while let value = self["\(name)-\(found.count + 1)"] { found.append(("\(name)-\(found.count + 1)", value)) }
    return found
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
