package import Base

/// The reason why a typed command of an owner (administrator) is not valid.
package struct VerbError: Error, Hashable, Sendable {
  package enum Fault: Hashable, Sendable {
    case empty
    /// The first word is not a command. `nearest` is the verb with the most similar spelling; nil if no verb is
    /// similar.
    case unknown(String, nearest: String?)
    case missing(VerbArgument)
    /// The word is not a valid value of the argument. `nearest` is the valid value with the most similar spelling; nil
    /// if no value is similar.
    case misread(String, VerbArgument, nearest: String?)
    case surplus(String)
    /// The word is an accuracy after the answer `no`. The answer `no` permits no fix, so an accuracy has no meaning.
    case accuracyOfNo(String)
  }

  /// The verb at the beginning of the typed line; nil if the verb is unknown.
  package let verb: String?
  package let fault: Fault

  package init(_ verb: String?, _ fault: Fault) {
    self.verb = verb
    self.fault = fault
  }

  package func text(in language: Language) -> String {
    let (phrase, values) = contents(in: language)
    guard let verb else { return phrase.text(in: language, values) }
    let usage = VerbErrorPhrase.usage.text(in: language, [.text: VerbRow.usage(of: verb)])
    return phrase.text(in: language, values) + (language.setsSpaces ? " " : "") + usage
  }

  private func contents(in language: Language) -> (VerbErrorPhrase, [Placeholder: String]) {
    switch fault {
    case .empty: return (.empty, [:])
    case .unknown(let word, let nearest):
      return (nearest == nil ? .unknown : .unknownNearest, [.word: Self.shown(word), .nearest: nearest ?? ""])
    case .missing(.app): return (.noApp, [:])
    case .missing(.prompt), .missing(.choice): return (.noChoice, [:])
    case .missing: return (.noValue, [:])
    case .misread(let word, let argument, let nearest):
      let words = argument == .action ? VerbRow.actions(of: verb ?? "") : argument.words
      return (
        Self.misread(argument, hasNearest: nearest != nil),
        [
          .word: Self.shown(word), .nearest: nearest ?? "", .value: language.list(words),
          .count: "\(OwnerCommand.mostEntries)",
        ]
      )
    case .accuracyOfNo(let word): return (.accuracyOfNo, [.word: Self.shown(word)])
    case .surplus(let word): return (.surplus, [.word: Self.shown(word)])
    }
  }

  private static func misread(_ argument: VerbArgument, hasNearest: Bool) -> VerbErrorPhrase {
    switch argument {
    case .app: .badApp
    case .prompt: .badNumber
    case .count: .badCount
    case .name, .names: .badPlace
    case .radius: .badDecimal
    case .centre: .badCentre
    case .duration: .badDuration
    case .allowance, .accuracy, .choice, .token, .action, .optional: hasNearest ? .badValueNearest : .badValue
    }
  }

  /// Returns a typed word for an error message: without control characters, at most 40 columns wide.
  private static func shown(_ word: String) -> String {
    let plain = String(String.UnicodeScalarView(word.unicodeScalars.filter(\.isPlain)))
    return Columns.clipped(plain, to: 40)
  }
}
