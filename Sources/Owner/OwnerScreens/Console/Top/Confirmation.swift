import Base
import LineProtocol

/// A question about an action of the owner. The action starts when the user presses the key `y`.
struct Confirmation: Hashable, Sendable {
  /// The times after which an authorization can end, as an owner types them. The key `e` selects the next one.
  private static let ends = ["1h", "8h", "1d", "7d", "30d"]

  private(set) var action: OwnerAction
  private let text: String
  /// The time after which the authorization ends; nil if it does not end by itself.
  private var end: String?
  /// The text of the question. If the action gives an authorization, the text also says when the authorization ends.
  private(set) var question: String

  init(action: OwnerAction, question: String) {
    self.action = action
    text = question
    self.question = question
  }

  /// Whether the action gives an authorization, which can have a time limit.
  var mayEnd: Bool {
    if case .verb(let verb) = action { verb.row.arguments.contains(.optional(.duration)) } else { false }
  }

  /// The time limit that the key `e` selects next; nil for no limit.
  var followingEnd: String? {
    guard let end else { return Self.ends.first }
    return Self.ends.firstIndex(of: end).flatMap { Self.ends.indices.contains($0 + 1) ? Self.ends[$0 + 1] : nil }
  }

  /// Returns this confirmation with another time limit of the authorization; nil for no limit.
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
