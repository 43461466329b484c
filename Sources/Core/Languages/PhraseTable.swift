/// All parts of the phrase table, for tests and tools.
package enum PhraseTable {
  package static let parts: [any Phrase.Type] = [
    AccuracyPhrase.self, AnswerPhrase.self, AppPhrase.self, ChoicePhrase.self, ConsolePhrase.self, FailurePhrase.self,
    GatewayPhrase.self,
    VerbPhrase.self, LogPhrase.self, NotificationPhrase.self, PagePhrase.self, PromptPhrase.self, ReceiverPhrase.self,
    RegionPhrase.self, StatusPhrase.self, TopPhrase.self, VerbErrorPhrase.self,
  ]

  package static var phrases: [any Phrase] { parts.flatMap { all(of: $0) } }

  private static func all<Part: Phrase>(of part: Part.Type) -> [any Phrase] { part.allCases.map { $0 } }
}
