package import Languages
import LineProtocol

/// Why words are no verb.
package struct VerbError: Error, Hashable, Sendable {
  package enum Fault: Hashable, Sendable {
    /// There are no words.
    case empty
    /// With the verb that was perhaps meant.
    case unknown(String, nearest: OwnerVerb.Name?)
    case missing(VerbArgument)
    /// The word is not what the argument takes; with what was perhaps meant.
    case misread(String, VerbArgument, nearest: String?)
    /// The word is one too many.
    case surplus(String)
    /// The word says how precise a fix is to be, and no fix is allowed.
    case accuracyOfNo(String)
  }

  /// Nil where it is not even known which.
  package let verb: OwnerVerb.Name?
  package let fault: Fault

  package init(_ verb: OwnerVerb.Name?, _ fault: Fault) {
    self.verb = verb
    self.fault = fault
  }

  /// What is wrong, and what to say instead.
  package func text(in language: Language) -> String {
    switch fault {
    case .empty: VerbErrorPhrase.empty.text(in: language)
    case .unknown(let word, nil): VerbErrorPhrase.unknown.text(in: language, [.word: Self.shown(word)])
    case .unknown(let word, let nearest?):
      VerbErrorPhrase.unknownNearest.text(in: language, [.word: Self.shown(word), .nearest: nearest.rawValue])
    case .missing(let argument):
      Self.missing(argument).text(in: language) + usage(in: language)
    case .misread(let word, let argument, let nearest):
      Self.misread(argument, hasNearest: nearest != nil)
        .text(
          in: language,
          [
            .word: Self.shown(word), .nearest: nearest ?? "", .value: language.list(argument.words),
            .count: "\(OwnerCommand.mostEntries)",
          ])
        + usage(in: language)
    case .accuracyOfNo(let word):
      VerbErrorPhrase.accuracyOfNo.text(in: language, [.word: Self.shown(word)]) + usage(in: language)
    case .surplus(let word): VerbErrorPhrase.surplus.text(in: language, [.word: Self.shown(word)]) + usage(in: language)
    }
  }

  private func usage(in language: Language) -> String {
    verb.map { (language.setsSpaces ? " " : "") + VerbErrorPhrase.usage.text(in: language, [.text: $0.usage]) } ?? ""
  }

  private static func missing(_ argument: VerbArgument) -> VerbErrorPhrase {
    switch argument {
    case .app: .noApp
    case .allowance, .accuracy, .keyAction, .keyKind, .count: .noValue
    case .prompt, .choice: .noChoice
    }
  }

  private static func misread(_ argument: VerbArgument, hasNearest: Bool) -> VerbErrorPhrase {
    switch argument {
    case .app: .badApp
    case .prompt: .badNumber
    case .count: .badCount
    case .allowance, .accuracy, .choice, .keyAction, .keyKind: hasNearest ? .badValueNearest : .badValue
    }
  }

  /// A word that somebody typed, with nothing in it that a terminal would obey, and not too long.
  private static func shown(_ word: String) -> String {
    let plain = String(String.UnicodeScalarView(word.unicodeScalars.filter(\.isPlain)))
    return Columns.clipped(plain, to: 40)
  }
}
