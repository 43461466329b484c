package import Base
import LineProtocol

/// A message that the console shows without a command of the user, for example about a new prompt (a question to the
/// user).
package enum ConsoleNotification: Hashable, Sendable {
  case promptOpened(number: Int, choices: [String], lines: [String])
  /// A prompt (a question to the user) was closed. `isByOwner` is true if an owner (administrator) has answered the
  /// prompt, in this session or elsewhere.
  case promptClosed(number: Int, isByOwner: Bool = true, lines: [String])
  case notified([String])
  case lost
  case found

  /// Creates a notification of the console from a notification of the gateway.
  /// - Parameters:
  ///   - notification: The notification from the gateway.
  ///   - language: The language of the texts.
  ///   - columns: The maximum width of a line of text, at least 20.
  package init(_ notification: OwnerNotification, language: Language, columns: Int) {
    let lines = notification.report(language: language, columns: columns).lines
    guard let number = notification.prompt else {
      self = .notified(lines)
      return
    }
    if notification.isOpenPrompt {
      self = .promptOpened(number: number, choices: notification.choices, lines: lines)
    } else {
      self = .promptClosed(number: number, isByOwner: notification.isByOwner, lines: lines)
    }
  }

  var openNumber: Int? {
    if case .promptOpened(let number, _, _) = self { number } else { nil }
  }

  var choices: [String]? {
    if case .promptOpened(_, let choices, _) = self { choices } else { nil }
  }

  func lines(_ settings: ConsoleSession.Settings) -> [String] {
    switch self {
    case .promptOpened(_, _, let lines), .promptClosed(_, _, let lines), .notified(let lines): lines
    case .lost: [ConsolePhrase.gatewayLost.text(in: settings.language)]
    case .found: [ConsolePhrase.gatewayFound.text(in: settings.language)]
    }
  }
}

extension ConsoleSession {
  mutating func recordAnswer(_ verb: OwnerVerb) {
    guard verb.row.answer == .answer else { return }
    answered = verb.values.prompt
    isAnswering = true
    heldLines = []
  }

  /// Deletes the identifier of the prompt (a question to the user) that this session has answered. After a restart of
  /// the gateway, another prompt can have the same identifier.
  mutating func resetAnswer() {
    answered = nil
    isAnswering = false
    heldLines = []
  }

  mutating func show(_ notification: ConsoleNotification) {
    switch notification {
    case .promptOpened(let number, _, _):
      openPrompts.removeAll { $0.openNumber == number }
      openPrompts.append(notification)
      vocabulary.choices = notification.choices
    case .promptClosed(let number, let isByOwner, let lines):
      openPrompts.removeAll { $0.openNumber == number }
      vocabulary.choices = openPrompts.last?.choices
      if number == answered, isByOwner {
        if isAnswering { heldLines = lines }
        return
      }
    case .lost:
      openPrompts = []
      vocabulary.choices = nil
      forgetPromptOfLine()
      resetAnswer()
    case .notified, .found: break
    }
    switch state {
    case .closed, .waiting, .askingPIN, .checkingPIN, .delayed:
      if case .notified = notification { unread = unread.suffix(Self.mostUnread - 1) + [notification] }
    case .performing: writeLines(notification.lines(settings))
    case .editing:
      var output: [UInt8] = []
      editor.hide(into: &output)
      write(output)
      writeLines(notification.lines(settings))
      prompt()
    }
  }
}
