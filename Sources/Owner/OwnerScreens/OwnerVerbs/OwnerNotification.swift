package import Base
package import LineProtocol

/// A notification to owners, on the topics `owner/prompt` and `owner/notification`.
package struct OwnerNotification: Sendable {
  package static let topics = [Topic.ownerPrompt, .ownerNotification]

  /// The prompt; nil for a notification about a region or about the end of an authorization.
  private let message: PromptMessage?
  private let lines: @Sendable (TextFormatter) -> [String]
  private let json: String

  /// Creates a notification from a message; nil if the message is not a notification to owners.
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

  /// The number of the prompt. The owner with the answer needs no notification about this prompt.
  package var prompt: Int? { message?.prompt }

  package var isOpenPrompt: Bool { message?.state == "open" }

  /// Whether an owner answered the prompt, on this client or on a different client.
  package var isByOwner: Bool { message?.by == "owner" }

  package var choices: [String] { message?.choices.split(separator: ",").map(String.init) ?? [] }

  /// - Parameter columns: the maximum width of a line, at least 20.
  package func report(language: Language, columns: Int) -> OwnerReport {
    OwnerReport(lines: lines(TextFormatter(language: language, columns: max(20, columns))), json: [json])
  }
}
