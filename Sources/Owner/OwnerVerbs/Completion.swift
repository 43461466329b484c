import Languages
import LineProtocol

/// The words that the completion of a typed line can propose.
package struct Vocabulary: Hashable, Sendable {
  package var apps: [String]
  /// The choices of the open prompt. If nil, the completion proposes every choice.
  package var choices: [String]?
  /// The words that can begin a line but are not commands of the gateway, for example `help`.
  package var others: [String]

  package init(apps: [String] = [], choices: [String]? = nil, others: [String] = []) {
    self.apps = apps
    self.choices = choices
    self.others = others
  }

  /// Returns the words that can follow `words` and begin with `beginning`, in alphabetical order.
  package func completions(after words: [String], beginning: String) -> [String] {
    let start = beginning.lowercased()
    return Set(candidates(after: words)).filter { $0.hasPrefix(start) }.sorted()
  }

  private func candidates(after words: [String]) -> [String] {
    guard let first = words.first?.lowercased() else { return VerbPhrase.allCases.map(\.rawValue) + others }
    guard let verb = VerbPhrase(rawValue: first) else {
      return first == "help" && words.count == 1 ? VerbPhrase.allCases.map(\.rawValue) : []
    }
    switch (verb, words.count) {
    case (.show, 1), (.allow, 1), (.deny, 1), (.reset, 1), (.accuracy, 1), (.use, 1), (.regions, 1), (.log, 1),
      (.key, 2):
      return apps
    case (.key, 1): return VerbArgument.keyAction.words
    case (.place, 1): return VerbArgument.placeAction.words
    case (.place, 2): return ["allow", "deny"].contains(words[1].lowercased()) ? apps : []
    case (.key, 3): return words[1].lowercased() == "add" ? VerbArgument.keyKind.words : []
    case (.allow, 2): return VerbArgument.allowance.words
    case (.accuracy, 2): return VerbArgument.accuracy.words
    case (.answer, let count):
      let isNumbered = words.dropFirst().first.flatMap { Int($0) } != nil
      switch count - (isNumbered ? 1 : 0) {
      case 1: return choices ?? VerbArgument.choice.words
      case 2: return words.last?.lowercased() == PromptChoice.no.rawValue ? [] : VerbArgument.accuracy.words
      default: return []
      }
    case (.status, _), (.apps, _), (.show, _), (.allow, _), (.deny, _), (.reset, _), (.accuracy, _), (.prompts, _),
      (.regions, _), (.place, _), (.use, _), (.key, _), (.log, _), (.receiver, _), (.reload, _), (.page, _), (.lock, _):
      return []
    }
  }
}
