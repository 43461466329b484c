import Languages
import OwnerVerbs

/// What a person at a console is told without having asked.
package enum ConsoleNews: Hashable, Sendable {
  /// A question is to be answered, with the words that answer it.
  case promptOpened(number: Int, choices: [String], lines: [String])
  /// Somebody has answered it, or nobody: here, elsewhere, at the button.
  /// An owner may be the one at this console.
  case promptClosed(number: Int, isByOwner: Bool = true, lines: [String])
  /// The gateway tells the owner something in an app's stead.
  case notified([String])
  /// The gateway cannot be reached any more.
  case lost
  case found

  /// The number of an open prompt.
  var openNumber: Int? {
    if case .promptOpened(let number, _, _) = self { number } else { nil }
  }

  /// The words that answer an open prompt.
  var choices: [String]? {
    if case .promptOpened(_, let choices, _) = self { choices } else { nil }
  }

  /// What is shown.
  func lines(_ settings: ConsoleSession.Settings) -> [String] {
    switch self {
    case .promptOpened(_, _, let lines), .promptClosed(_, _, let lines), .notified(let lines): lines
    case .lost: [ConsolePhrase.gatewayLost.text(in: settings.language)]
    case .found: [ConsolePhrase.gatewayFound.text(in: settings.language)]
    }
  }
}

/// News on the screen: above the line that is being written.
extension ConsoleSession {
  /// A verb is performed that answers a prompt.
  mutating func noteAnswer(_ verb: OwnerVerb) {
    guard case .answer(let prompt, _, _) = verb else { return }
    answered = prompt
    isAnswering = true
    withheld = []
  }

  /// Numbers of prompts begin again where the gateway does, and a new session has answered nothing.
  mutating func forgetAnswer() {
    answered = nil
    isAnswering = false
    withheld = []
  }

  mutating func tell(_ news: ConsoleNews) {
    switch news {
    case .promptOpened(let number, _, _):
      openPrompts.removeAll { $0.openNumber == number }
      openPrompts.append(news)
      vocabulary.choices = news.choices
    case .promptClosed(let number, let isByOwner, let lines):
      openPrompts.removeAll { $0.openNumber == number }
      vocabulary.choices = openPrompts.last?.choices
      if number == answered, isByOwner {
        if isAnswering { withheld = lines }
        return
      }
    case .lost:
      openPrompts = []
      vocabulary.choices = nil
      forgetAnswer()
    case .notified, .found: break
    }
    switch state {
    case .closed, .waiting, .askingPIN, .checkingPIN, .delayed:
      if case .notified = news { unread = unread.suffix(Self.mostUnread - 1) + [news] }
    case .performing: say(news.lines(settings))
    case .editing:
      var output: [UInt8] = []
      editor.hide(into: &output)
      write(output)
      say(news.lines(settings))
      prompt()
    }
  }
}
