package import Languages
package import LineProtocol

/// What owners hear without having asked, on `owner/prompt` and `owner/notification`.
package struct OwnerNews: Sendable {
  /// The topics to subscribe to.
  package static let topics = [Topic.ownerPrompt, .ownerNotification]

  private enum Contents {
    case prompt(PromptMessage)
    case notification(NotificationMessage)
  }

  private let contents: Contents
  private let json: String

  /// Nil where the message is something else.
  package init?(_ message: ServerLine.Message) {
    switch Topic(rawValue: message.topic) {
    case .ownerPrompt:
      guard let prompt = message.decoded(as: PromptMessage.self) else { return nil }
      contents = .prompt(prompt)
    case .ownerNotification:
      guard let notification = message.decoded(as: NotificationMessage.self) else { return nil }
      contents = .notification(notification)
    default: return nil
    }
    json = message.json
  }

  /// The number of the prompt that it is about: whoever answered it need not be told.
  package var prompt: Int? {
    switch contents {
    case .prompt(let prompt): prompt.prompt
    case .notification: nil
    }
  }

  /// Whether it is a question that waits for an answer.
  package var isOpenPrompt: Bool {
    switch contents {
    case .prompt(let prompt): prompt.state == "open"
    case .notification: false
    }
  }

  /// Whether an owner has decided, here or elsewhere.
  package var isByOwner: Bool {
    switch contents {
    case .prompt(let prompt): prompt.by == "owner"
    case .notification: false
    }
  }

  /// What the open prompt may be answered with.
  package var choices: [String] {
    switch contents {
    case .prompt(let prompt): prompt.choices.split(separator: ",").map(String.init)
    case .notification: []
    }
  }

  /// - Parameter columns: how wide a line may be, 20 at least.
  package func report(language: Language, columns: Int) -> OwnerReport {
    let writing = Writing(language: language, columns: max(20, columns))
    switch contents {
    case .prompt(let prompt): return OwnerReport(lines: writing.news(prompt), json: [json])
    case .notification(let notification): return OwnerReport(lines: writing.news(notification), json: [json])
    }
  }
}
