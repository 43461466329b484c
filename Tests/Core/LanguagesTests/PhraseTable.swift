import FoundationEssentials
import Languages
import Repository
import Testing

/// The phrases of all enumerations.
enum PhraseTable {
  static let parts: [any Phrase.Type] = [
    AccuracyPhrase.self, AnswerPhrase.self, AppPhrase.self, ChoicePhrase.self, ConsolePhrase.self, FailurePhrase.self,
    GatewayPhrase.self, LogPhrase.self, NotificationPhrase.self, PagePhrase.self, PlacePhrase.self, PromptPhrase.self,
    ReceiverPhrase.self, RegionPhrase.self, StatusPhrase.self, TopPhrase.self, VerbErrorPhrase.self, VerbPhrase.self,
  ]

  static var phrases: [any Phrase] { parts.flatMap { all(of: $0) } }

  private static func all<Part: Phrase>(of part: Part.Type) -> [any Phrase] { part.allCases.map { $0 } }
}

@Test func `the table has every enumeration of phrases`() throws {
  let files = try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/Sources/Core/Languages")
  let names = files.filter { $0.hasSuffix("Phrase.swift") && $0 != "Phrase.swift" }.map { String($0.dropLast(6)) }
  #expect(names.sorted() == PhraseTable.parts.map { "\($0)" })
}
