import SwiftSyntax

/// A change of one place of a source file. `#` in a text stands for the number of the mutant.
struct Mutation: Encodable {
  enum Kind: String, Encodable {
    case boundary = "relational boundary"
    case negation = "negated condition"
    case constant = "constant ± 1"
    case call = "removed call"
    case swap = "swapped arguments"
    case guardClause = "removed guard"
  }

  /// The replacement of some bytes of the file by a text.
  struct Edit: Encodable {
    /// An edit that opens or closes an expression, or replaces its operator. The order of the edits at one offset depends
    /// on it.
    enum Role: String, Encodable { case open, close, replace }

    var role: Role
    /// The offset of the first replaced byte.
    var offset: Int
    /// The count of replaced bytes.
    var length = 0
    var text: String
    /// The length of the expression that the edit opens or closes. An outer expression is longer.
    var extent = 0
  }

  var kind: Kind
  var file: String
  var line: Int
  /// The original expression, in one line.
  var source: String
  var edits: [Edit]
}

extension Mutation.Edit {
  /// The two edits that wrap an expression.
  static func wrap(_ node: some SyntaxProtocol, _ before: String, _ after: String) -> [Self] {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    return [
      Self(role: .open, offset: start, text: before, extent: end - start),
      Self(role: .close, offset: end, text: after, extent: end - start),
    ]
  }
}
