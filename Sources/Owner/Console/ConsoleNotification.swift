import Languages
import OwnerVerbs

/// A notification that the console shows to its user.
package enum ConsoleNotification: Hashable, Sendable {
  /// A prompt opened. Each word in `choices` is an answer that a user can give to the prompt.
  case promptOpened(number: Int, choices: [String], lines: [String])
  /// A prompt closed, with or without an answer. `isByOwner` is true if an owner answered the prompt, on this client or
  /// on a different client.
  case promptClosed(number: Int, isByOwner: Bool = true, lines: [String])
  /// The gateway sent a notification on behalf of an app.
  case notified([String])
  /// The connection to the gateway ended.
  case lost
  /// The connection to the gateway is restored.
  case found

  /// The number of the prompt, if this notification says that a prompt opened.
  var openNumber: Int? {
    if case .promptOpened(let number, _, _) = self { number } else { nil }
  }

  /// The words that answer the prompt, if this notification says that a prompt opened.
  var choices: [String]? {
    if case .promptOpened(_, let choices, _) = self { choices } else { nil }
  }

  /// Returns the text of the notification.
  func lines(_ settings: ConsoleSession.Settings) -> [String] {
    switch self {
    case .promptOpened(_, _, let lines), .promptClosed(_, _, let lines), .notified(let lines): lines
    case .lost: [ConsolePhrase.gatewayLost.text(in: settings.language)]
    case .found: [ConsolePhrase.gatewayFound.text(in: settings.language)]
    }
  }
}

/// The part of the console that shows notifications. Each notification appears above the line that the user edits.
extension ConsoleSession {
  /// Records that the console has sent an answer to a prompt and waits for the reply.
  mutating func recordAnswer(_ verb: OwnerVerb) {
    guard case .answer(let prompt, _, _) = verb else { return }
    answered = prompt
    isAnswering = true
    heldLines = []
  }

  /// Forgets the prompt that this session answered, and the text in `heldLines`. This is necessary for a new session,
  /// because a new session has not answered a prompt yet. This is also necessary after a restart of the gateway,
  /// because the gateway then numbers the prompts from 1 again.
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
