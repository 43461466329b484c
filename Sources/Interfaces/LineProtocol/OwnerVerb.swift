import Base
import GNSS

/// A command that an owner (administrator) typed: the row of the command table, and the values of the arguments.
package struct OwnerVerb: Hashable, Sendable {
  package let row: VerbRow
  package var values = VerbValues()

  /// The commands for the gateway. The reply to the last command is shown to the user.
  package var commands: [Command] { row.commands(values) }

  /// Parses a typed command line. Spaces separate the words. Quotation marks have no special meaning.
  package init(parsing line: String) throws(VerbError) {
    try self.init(words: line.split(separator: " ").map(String.init))
  }

  /// Parses the words of a command. The command and the fixed words of its arguments are not case-sensitive.
  package init(words: [String]) throws(VerbError) {
    guard let first = words.first else { throw VerbError(nil, .empty) }
    var parser = VerbParser(verb: first.lowercased(), words: words.dropFirst())
    let row = try parser.row(first)
    try self.init(row, Array(parser.words))
  }

  /// Parses the arguments of a command, given by its row of the command table.
  package init(_ row: VerbRow, _ arguments: [String]) throws(VerbError) {
    self.row = row
    var parser = VerbParser(verb: row.verb, words: arguments[...])
    for argument in row.arguments { try parser.read(argument, of: row) }
    if let word = parser.words.first { throw VerbError(row.verb, .surplus(word)) }
    values = parser.values
  }

  /// Creates the command `answer`, which answers a prompt (a question to the user).
  package init(answer choice: PromptChoice, accuracy: FixAccuracy?, to prompt: Int) throws(VerbError) {
    try self.init(words: ["answer", "\(prompt)", choice.rawValue] + (accuracy.map { [$0.rawValue] } ?? []))
  }
}

private struct VerbParser {
  let verb: String
  var words: ArraySlice<String>
  var values = VerbValues()

  /// Returns the row of the command table for the typed verb (first word). If several commands have this verb, the
  /// function also reads the second word.
  mutating func row(_ typed: String) throws(VerbError) -> VerbRow {
    let rows = VerbRow.rows(of: verb)
    guard let only = rows.first else {
      throw VerbError(nil, .unknown(typed, nearest: Spelling.nearest(to: verb, among: VerbRow.verbs)))
    }
    guard only.action != nil else { return only }
    guard let word = words.popFirst() else {
      // A verb alone stands for its list, if it has one.
      guard let list = rows.first(where: { $0.action == "list" }) else { throw VerbError(verb, .missing(.action)) }
      return list
    }
    let action = word.lowercased()
    guard let row = rows.first(where: { $0.action == action }) else {
      let nearest = Spelling.nearest(to: action, among: rows.compactMap(\.action))
      throw VerbError(verb, .misread(word, .action, nearest: nearest))
    }
    return row
  }

  mutating func read(_ argument: VerbArgument, of row: VerbRow) throws(VerbError) {
    if case .optional(let argument) = argument {
      if let word = words.first, !isOmitted(argument, word, of: row) { try read(argument, of: row) }
      return
    }
    guard let typed = words.popFirst() else { throw VerbError(verb, .missing(argument)) }
    let word = argument.words.isEmpty ? typed : typed.lowercased()
    guard argument.words.isEmpty || argument.words.contains(word) else {
      throw VerbError(verb, .misread(typed, argument, nearest: Spelling.nearest(to: word, among: argument.words)))
    }
    switch argument {
    case .app where Self.isApp(word): values.app = word
    case .allowance: values.allowance = word == "always" ? .always : .whenInUse
    case .duration:
      guard let duration = words.popFirst() else { throw VerbError(verb, .missing(argument)) }
      values.duration = TypedDuration.parse(duration)
      if values.duration == nil { throw VerbError(verb, .misread(duration, argument, nearest: nil)) }
    case .accuracy:
      // The answer no permits no fix.
      if row.answer == .answer, values.choice == .no { throw VerbError(verb, .accuracyOfNo(typed)) }
      values.accuracy = FixAccuracy(rawValue: word)
    case .prompt:
      guard let number = Int(word), number > 0 else { throw VerbError(verb, .misread(typed, argument, nearest: nil)) }
      values.prompt = number
    case .choice: values.choice = PromptChoice(rawValue: word) ?? .no
    case .count:
      guard let count = Int(word), (1...OwnerCommand.mostEntries).contains(count) else {
        throw VerbError(verb, .misread(typed, argument, nearest: nil))
      }
      values.count = count
    case .token: values.isToken = true
    case .name where NamedPlace.isName(word): values.names = [word]
    case .names where NamedPlace.isName(word):
      values.names.append(word)
      if !words.isEmpty { try read(argument, of: row) }
    case .radius: values.radius = try decimal(word, argument)
    case .centre:
      let latitude = try decimal(word, argument)
      guard Coordinate(latitude: latitude, longitude: 0) != nil else {
        throw VerbError(verb, .misread(word, argument, nearest: nil))
      }
      guard let second = words.popFirst() else { throw VerbError(verb, .missing(argument)) }
      values.centre = Coordinate(latitude: latitude, longitude: try decimal(second, argument))
      if values.centre == nil { throw VerbError(verb, .misread(second, argument, nearest: nil)) }
    case .app, .name, .names, .action, .optional: throw VerbError(verb, .misread(typed, argument, nearest: nil))
    }
  }

  /// Whether an optional argument is omitted, because the next word is a value of another argument.
  private func isOmitted(_ argument: VerbArgument, _ word: String, of row: VerbRow) -> Bool {
    switch argument {
    case .prompt: !word.prefix(1).allSatisfy(\.isDigit)
    case .allowance: VerbArgument.duration.words.contains(word.lowercased())
    // A number is also a valid app name. For this reason, a number is a count only if it is the only argument.
    case .app: words.count == 1 && row.arguments.contains(.optional(.count)) && word.allSatisfy(\.isDigit)
    default: false
    }
  }

  /// Whether a word consists of 1 to 64 letters, digits and `.`, `_` and `-`, so that the gateway reads one word. The
  /// gateway checks the rest.
  private static func isApp(_ word: String) -> Bool {
    (1...64).contains(word.utf8.count)
      && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isDigit || "._-".contains($0)) }
  }

  private func decimal(_ word: String, _ argument: VerbArgument) throws(VerbError) -> Double {
    guard word.allSatisfy({ $0.isDigit || "-.".contains($0) }), let number = Double(word) else {
      throw VerbError(verb, .misread(word, argument, nearest: nil))
    }
    return number
  }
}

extension Character {
  fileprivate var isDigit: Bool { isASCII && isWholeNumber }
}
