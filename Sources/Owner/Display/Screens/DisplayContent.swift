package import Base
package import LineProtocol
package import OwnerScreens

/// The texts about the present state of a gateway that a small display can show. No text contains a position.
package struct DisplayContent: Hashable, Sendable {
  /// A prompt: a question to the person at the button, for example whether an app may get a fix.
  package struct Question: Hashable, Sendable {
    /// The number that identifies the prompt (a question to the user).
    package var prompt: Int
    package var paragraphs: [String]
  }

  /// A text about the effect of the last press or hold (long press) of a button.
  package struct Notice: Hashable, Sendable {
    /// An identifier of the press or hold of the button. Each press has a different identifier.
    package var id: String
    package var paragraphs: [String]
  }

  package var question: Question?
  package var notice: Notice?
  /// Whether the kill switch is on. The display then shows no earlier press.
  package var isLocked = false
  /// Texts about states that continue: for example, the kill switch is on, an app gets updates (repeated fixes), or an
  /// app waits for the next press of the button.
  package var standing: [String] = []
  /// The name of the gateway and the state of its receiver, which the display shows if there is no other text.
  package var idle: [String] = []

  package init() {}

  /// Creates the texts from replies of the gateway.
  /// - Parameters:
  ///   - status: The fields of the reply to the command `STATUS`.
  ///   - prompts: The open prompts (questions to the user).
  ///   - apps: The apps that the gateway knows.
  ///   - served: The accuracy of the fix that the last press of the button gave to its app; nil if unknown.
  ///   - language: The language of the texts.
  package init(
    status: ServerLine.Fields, prompts: [PromptMessage], apps: [AppMessage], served: String?, in language: Language
  ) {
    let formatter = TextFormatter(unwrapped: language)
    let titles = Dictionary(apps.map { ($0.app, $0.title) }) { first, _ in first }
    question = status["prompt"].flatMap { Int($0) }.flatMap { number in prompts.first { $0.prompt == number } }.map {
      Question(prompt: $0.prompt, paragraphs: [$0.text] + Self.says($0.says, $0.title, language))
    }
    notice = Self.notice(status, titles, served, language)
    let receiver = formatter.receiverState(status).map {
      "\(ReceiverPhrase.receiver.text(in: language)): \($0)"
    }
    idle = [status["gateway"], receiver].compactMap(\.self)
    isLocked = status["locked"] == "true"
    if isLocked {
      standing = [GatewayPhrase.locked.text(in: language)] + Self.unsaved(status, language)
      return
    }
    standing = Self.unsaved(status, language)
    for app in apps where app.isNext == true {
      let title = formatter.title(app.title, isForEachPress: app.isForEachPress)
      let buttons = TextFormatter.buttons(for: app.app, in: status)?.joined(separator: ", ") ?? ""
      let phrase: AppPhrase = buttons.isEmpty ? .waitsForPress : .waitsForButton
      standing.append(phrase.text(in: language, [.app: title, .value: buttons]))
      standing += Self.says(app.says, app.title, language)
    }
    for app in apps {
      guard let updates = app.updates else { continue }
      let phrase = updates == "background" ? GatewayPhrase.background : .inUse
      standing.append(AppPhrase.isNow.text(in: language, [.app: app.title, .value: phrase.text(in: language)]))
    }
    if status["receiver"] == "absent" { standing += [receiver].compactMap(\.self) }
  }

  private static func says(_ text: String?, _ app: String, _ language: Language) -> [String] {
    text.map { [NotificationPhrase.says.text(in: language, [.app: app, .text: $0])] } ?? []
  }

  private static func unsaved(_ status: ServerLine.Fields, _ language: Language) -> [String] {
    let faults = status["store-fault"]?.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) } ?? []
    guard let fault = faults.first(where: { $0.hasPrefix("unsaved:") }) else { return [] }
    return [GatewayPhrase.unsaved.text(in: language, [.count: String(fault.dropFirst("unsaved:".count))])]
  }

  private static func notice(
    _ status: ServerLine.Fields, _ titles: [String: String], _ served: String?, _ language: Language
  ) -> Notice? {
    guard let word = status["last-press"], let phrase = PressPhrase(rawValue: word) else { return nil }
    let apps = status["last-press-app"]?.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) } ?? []
    let names = apps.map { titles[$0] ?? $0 }.joined(separator: ", ")
    let accuracy = phrase == .served ? served.flatMap(AccuracyPhrase.init) : nil
    return Notice(
      id: [word, status["last-press-app"] ?? "", status["last-press-number"] ?? ""].joined(separator: " "),
      paragraphs: [
        phrase.text(in: language, [.app: names]), accuracy?.text(in: language),
        TextFormatter(unwrapped: language).undelivered(status),
      ].compactMap(\.self))
  }
}

/// A type that reads the state of a gateway, and returns texts about this state for a small display.
package struct DisplayReader: Sendable {
  /// The topics of the messages after which the texts must be read again.
  package static let topics = [Topic.ownerPrompt, .ownerApps, .ownerButton, .indicator, .receiver]
  /// The maximum count of log entries that are read to find the fix of the last press of the button.
  private static let entries = 8

  private let language: Language

  package init(language: Language) { self.language = language }

  /// Reads the state of the gateway, and returns the texts for the display.
  /// - Throws: `LineError` if the gateway refuses a command, or the error of the connection.
  package func read(from gateway: some OwnerGateway) async throws -> DisplayContent {
    let status = try await gateway.perform(.status).fields
    let apps = try await gateway.perform(.owner(.apps)).messages.compactMap { AppMessage(json: $0.json) }
    var prompts: [PromptMessage] = []
    if status["prompt"] != nil {
      prompts = try await gateway.perform(.owner(.prompts)).messages.compactMap { PromptMessage(json: $0.json) }
    }
    var served: String?
    if status["last-press"] == PressPhrase.served.rawValue, let app = status["last-press-app"] {
      let log = OwnerCommand.log(since: nil, app: app, limit: Self.entries)
      let entries = try await gateway.perform(.owner(log)).messages.compactMap { EntryMessage(json: $0.json) }
      served = entries.last { $0.event == "disclosure" }?.accuracy
    }
    return DisplayContent(status: status, prompts: prompts, apps: apps, served: served, in: language)
  }
}
