package import Base
package import LineProtocol

/// A notification to owners, on the topics `owner/prompt` and `owner/notification`.
package struct OwnerNotification: Sendable {
  package static let topics = [Topic.ownerPrompt, .ownerNotification]

  private enum Contents {
    case prompt(PromptMessage)
    case notification(NotificationMessage)
  }

  private let contents: Contents
  private let json: String

  /// Returns nil if the message is not a notification to owners.
  package init?(_ message: ServerLine.Message) {
    switch Topic(rawValue: message.topic) {
    case .ownerPrompt:
      guard let prompt = PromptMessage(json: message.json) else { return nil }
      contents = .prompt(prompt)
    case .ownerNotification:
      guard let notification = NotificationMessage(json: message.json) else { return nil }
      contents = .notification(notification)
    default: return nil
    }
    json = message.json
  }

  /// The number of the prompt. An owner who answered this prompt needs no notification about it.
  package var prompt: Int? {
    switch contents {
    case .prompt(let prompt): prompt.prompt
    case .notification: nil
    }
  }

  package var isOpenPrompt: Bool {
    switch contents {
    case .prompt(let prompt): prompt.state == "open"
    case .notification: false
    }
  }

  /// Whether an owner answered the prompt, on this client or on a different client.
  package var isByOwner: Bool {
    switch contents {
    case .prompt(let prompt): prompt.by == "owner"
    case .notification: false
    }
  }

  package var choices: [String] {
    switch contents {
    case .prompt(let prompt): prompt.choices.split(separator: ",").map(String.init)
    case .notification: []
    }
  }

  /// - Parameter columns: the maximum width of a line, at least 20.
  package func report(language: Language, columns: Int) -> OwnerReport {
    let formatter = TextFormatter(language: language, columns: max(20, columns))
    switch contents {
    case .prompt(let prompt): return OwnerReport(lines: formatter.notification(prompt), json: [json])
    case .notification(let notification): return OwnerReport(lines: formatter.notification(notification), json: [json])
    }
  }
}
