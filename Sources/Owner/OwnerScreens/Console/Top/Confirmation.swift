import Base
import LineProtocol

/// An action that waits for the key `y`, and the question about it.
struct Confirmation: Hashable, Sendable {
  /// The times after which an authorization can end, as an owner types them. The key `e` goes from one to the next.
  private static let ends = ["1h", "8h", "1d", "7d", "30d"]

  private(set) var action: OwnerAction
  private let text: String
  /// The time after which the authorization ends; nil for no end.
  private var end: String?
  /// The question with the end of the authorization, if the action gives an authorization.
  private(set) var question: String

  init(action: OwnerAction, question: String) {
    self.action = action
    text = question
    self.question = question
  }

  /// Whether the action gives an authorization, which can have an end.
  var mayEnd: Bool {
    if case .verb(let verb) = action { verb.row.arguments.contains(.optional(.duration)) } else { false }
  }

  /// The end that follows the present one; nil for no end.
  var followingEnd: String? {
    guard let end else { return Self.ends.first }
    return Self.ends.firstIndex(of: end).flatMap { Self.ends.indices.contains($0 + 1) ? Self.ends[$0 + 1] : nil }
  }

  /// Returns this confirmation with another end of the authorization.
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
