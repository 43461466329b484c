package import Base
package import LineProtocol

/// A notification for owners (administrators): a prompt (a question to the user) was opened or closed, an authorization
/// has ended, or the device has entered or left a region (a circle on the ground).
package struct OwnerNotification: Sendable {
  package static let topics = [Topic.ownerPrompt, .ownerNotification]

  /// The prompt (a question to the user) that was opened or closed; nil if the notification is not about a prompt.
  private let message: PromptMessage?
  private let lines: @Sendable (TextFormatter) -> [String]
  private let json: String

  /// Creates a notification from a message of the gateway; nil if the topic of the message is not in `topics`, or if
  /// its JSON is invalid.
  package init?(_ message: ServerLine.Message) {
    switch Topic(rawValue: message.topic) {
    case .ownerPrompt:
      guard let prompt = PromptMessage(json: message.json) else { return nil }
      self.message = prompt
      lines = { $0.notification(prompt) }
    case .ownerNotification:
      guard let notification = NotificationMessage(json: message.json) else { return nil }
      self.message = nil
      lines = { $0.notification(notification) }
    default: return nil
    }
    json = message.json
  }

  /// The identifier of the prompt (a question to the user); nil if the notification is not about a prompt.
  package var prompt: Int? { message?.prompt }

  package var isOpenPrompt: Bool { message?.state == "open" }

  /// Whether an owner (administrator) has answered the prompt (the question to the user), with this program or with
  /// another program.
  package var isByOwner: Bool { message?.by == "owner" }

  package var choices: [String] { message?.choices.split(separator: ",").map(String.init) ?? [] }

  /// Returns the notification as text and as JSON.
  /// - Parameters:
  ///   - language: The language of the text.
  ///   - columns: The maximum width of a line of text, at least 20.
  package func report(language: Language, columns: Int) -> OwnerReport {
    OwnerReport(lines: lines(TextFormatter(language: language, columns: max(20, columns))), json: [json])
  }
}
