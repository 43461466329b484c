import Base
import LineProtocol

/// A question to the owner (administrator) before an action. The action starts when the owner presses the key `y`.
struct Confirmation: Hashable, Sendable {
  /// The possible time limits of an authorization, in the format in which a user types a duration. The key `e` selects
  /// the next time limit.
  private static let ends = ["1h", "2h", "8h", "1d", "7d", "30d"]

  private(set) var action: OwnerAction
  private let text: String
  /// The selected time limit of the authorization, for example `8h`; nil for no time limit.
  private var end: String?
  /// The question, with the selected time limit if the action gives an authorization.
  private(set) var question: String

  init(action: OwnerAction, question: String) {
    self.action = action
    text = question
    self.question = question
  }

  /// Whether the action can have a time limit, because the action gives an authorization.
  var mayEnd: Bool {
    if case .verb(let verb) = action { verb.row.arguments.contains(.optional(.duration)) } else { false }
  }

  /// The time limit after the selected time limit in `ends`; nil for no time limit.
  var followingEnd: String? {
    guard let end else { return Self.ends.first }
    return Self.ends.firstIndex(of: end).flatMap { Self.ends.indices.contains($0 + 1) ? Self.ends[$0 + 1] : nil }
  }

  /// Returns a copy of the question with another time limit of the authorization; nil for no time limit.
  func withEnd(_ end: String?, in language: Language) -> Confirmation {
    guard case .verb(var verb) = action, mayEnd else { return self }
    verb.values.duration = end.flatMap { TypedDuration.parse($0) }
    var changed = self
    changed.end = end
    changed.action = .verb(verb)
    let choice =
      end.map { TopPhrase.endsAfter.text(in: language, [.value: $0]) } ?? TopPhrase.endsNever.text(in: language)
    changed.question = "\(text)  \(choice)"
    return changed
  }
}
