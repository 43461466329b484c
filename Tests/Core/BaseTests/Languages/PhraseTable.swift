import LineProtocol
import OwnerScreens
import Testing

@testable import Base

/// The phrases of all enumerations.
enum PhraseTable {
  static let parts: [any Phrase.Type] = [
    AccuracyPhrase.self, AnswerPhrase.self, AppPhrase.self, ChoicePhrase.self, ConsolePhrase.self, DonePhrase.self,
    FailurePhrase.self, GatewayPhrase.self, LogPhrase.self, NotificationPhrase.self, OutcomePhrase.self,
    PagePhrase.self, PanelPhrase.self, PlacePhrase.self, PressPhrase.self, PromptPhrase.self, ReceiverPhrase.self,
    RefusalPhrase.self, RegionPhrase.self, ReportPhrase.self, StatusPhrase.self, TimePhrase.self, TopPhrase.self,
    VerbErrorPhrase.self, VerbPhrase.self,
  ]

  static var phrases: [any Phrase] { parts.flatMap { all(of: $0) } }

  private static func all<Part: Phrase>(of part: Part.Type) -> [any Phrase] { part.allCases.map { $0 } }
}

@Test func `the table has the help of each verb, and the text of each command that is only acknowledged`() {
  #expect(VerbPhrase.allCases.map(\.description) == VerbRow.verbs.sorted())
  let acknowledged = VerbRow.table.filter { $0.answer == .done }
  #expect(DonePhrase.allCases.map(\.description) == acknowledged.map(\.name).sorted())
}

@Test func `the table has a row for each phrase, in the order of the languages, and no other row`() {
  let header = Texts.table.prefix { $0 != "\n" }
  #expect(header.split(separator: "\t").map(String.init) == ["phrase"] + Language.allCases.map(\.rawValue))
  let names = PhraseTable.phrases.map { "\(type(of: $0)).\($0)" }
  #expect(names.sorted() == Texts.rows.keys.sorted())
  let lines = Texts.table.split(separator: "\n")
  #expect(lines.count == names.count + 1, "a row is twice in the table")
  #expect(Texts.rows.values.allSatisfy { $0.cells.count == Language.allCases.count })
}
