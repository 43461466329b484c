import LineProtocol

/// The words with which a typed command line can be completed.
package struct Vocabulary: Hashable, Sendable {
  package var apps: [String] = []
  /// The possible answers to the open prompt (a question to the user); nil if the answers to all prompts are possible.
  package var choices: [String]?
  /// The commands that the program executes without the gateway, for example `help`.
  package var others: [String] = []

  /// Returns the words that can follow `words` in a command and that begin with `beginning`, in alphabetical order.
  package func completions(after words: [String], beginning: String) -> [String] {
    let start = beginning.lowercased()
    return Set(candidates(after: words.map { $0.lowercased() })).filter { $0.hasPrefix(start) }.sorted()
  }

  private func candidates(after words: [String]) -> [String] {
    guard let verb = words.first else { return VerbRow.verbs + others }
    if verb == "help" { return words.count == 1 ? VerbRow.verbs : [] }
    let rows = VerbRow.rows(of: verb)
    guard let row = rows.first(where: { [nil, words.dropFirst().first].contains($0.action) }) else {
      return words.count == 1 ? rows.compactMap(\.action) : []
    }
    var rest = words.dropFirst(row.action == nil ? 1 : 2)
    for argument in row.arguments {
      // An answer has the number of its prompt only if several prompts are open.
      if argument == .optional(.prompt), rest.first.flatMap({ Int($0) }) == nil { continue }
      if argument == .optional(.allowance), rest.first == "for" { continue }
      if rest.popFirst() == nil { return candidates(for: argument, after: words) }
      if argument == .optional(.duration), rest.isEmpty { return ["30m", "2h", "8h", "1d", "7d"] }
    }
    return []
  }

  private func candidates(for argument: VerbArgument, after words: [String]) -> [String] {
    switch argument {
    case .app: apps
    case .choice: choices ?? argument.words
    // The answer no permits no fix.
    case .accuracy: words.first == "answer" && words.last == PromptChoice.no.rawValue ? [] : argument.words
    // The duration can follow the app, too.
    case .optional(.allowance): VerbArgument.allowance.words + VerbArgument.duration.words
    case .optional(let argument): candidates(for: argument, after: words)
    default: argument.words
    }
  }
}
