package import Languages
import LineProtocol

/// The reason why a typed line is not a valid command.
package struct VerbError: Error, Hashable, Sendable {
  package enum Fault: Hashable, Sendable {
    case empty
    /// The first word is not a command. `nearest` is the command with the most similar spelling.
    case unknown(String, nearest: VerbPhrase?)
    case missing(VerbArgument)
    /// The word is not a valid value of the argument. `nearest` is the valid value with the most similar spelling.
    case misread(String, VerbArgument, nearest: String?)
    case surplus(String)
    /// The word is an accuracy after the answer `no`. The answer `no` permits no fix, so an accuracy has no meaning.
    case accuracyOfNo(String)
  }

  /// The command at the beginning of the line. Nil if the command is unknown.
  package let verb: VerbPhrase?
  package let fault: Fault

  package init(_ verb: VerbPhrase?, _ fault: Fault) {
    self.verb = verb
    self.fault = fault
  }

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
    case .allowance, .accuracy, .keyAction, .keyKind, .count, .placeAction, .placeName, .decimal: .noValue
    case .prompt, .choice: .noChoice
    }
  }

  private static func misread(_ argument: VerbArgument, hasNearest: Bool) -> VerbErrorPhrase {
    switch argument {
    case .app: .badApp
    case .prompt: .badNumber
    case .count: .badCount
    case .placeName: .badPlace
    case .decimal: .badDecimal
    case .allowance, .accuracy, .choice, .keyAction, .keyKind, .placeAction: hasNearest ? .badValueNearest : .badValue
    }
  }

  /// Returns a typed word without control characters, at most 40 columns wide.
  private static func shown(_ word: String) -> String {
    let plain = String(String.UnicodeScalarView(word.unicodeScalars.filter(\.isPlain)))
    return Columns.clipped(plain, to: 40)
  }
}
