package import Base
package import GNSS

/// A command that an owner (administrator) can type, as a row of the command table.
package struct VerbRow: Sendable {
  /// A key on the keyboard that gives the command in the terminal program `onefix top`. If the command needs an app,
  /// the selected app is used.
  package struct Key: Sendable {
    /// A placeholder in `words` for an accuracy. `onefix top` replaces the placeholder by the accuracy that comes after
    /// the present accuracy of the selected app in the order precise, approximate, place name.
    package static let nextAccuracy = "next-accuracy"

    package let letter: Unicode.Scalar
    /// The words of the command after the name of the app, for example `always`.
    package var words: [String] = []
    /// The question that the user must confirm before the command; nil if no confirmation is necessary.
    package var question: TopPhrase?
    /// The help text of the key; nil to use the help text of the command.
    package var help: (any Phrase)?
  }

  /// The verb of the command, for example `lock`. If several commands have the same verb, the name has a second word,
  /// for example `key add`.
  package let name: String
  package var arguments: [VerbArgument] = []
  package let answer: Answer
  /// Whether the web page for owners (administrators) offers the command.
  package var isOnPage = false
  /// The error texts for this command that replace the standard texts, by error code.
  package var refusals: [ErrorCode: FailurePhrase] = [:]
  package var keys: [Key] = []
  /// The first sentence of the help for the command in a shell; nil to use the help text of the verb (first word).
  package var summary: String?
  /// The sentences of the help for the command in a shell after the first sentence.
  package var about = ""
  /// A function that creates the commands for the gateway from the values of the arguments. The reply to the last
  /// command is shown to the user.
  let commands: @Sendable (VerbValues) -> [Command]

  /// The first word of the command, for example `key` of `key add`.
  package var verb: String { String(name.prefix { $0 != " " }) }

  /// The second word of the command, for example `add` of `key add`; nil if the command has only a verb.
  package var action: String? { name.firstIndex(of: " ").map { String(name[name.index(after: $0)...]) } }

  /// The syntax of the command, as in `deny APP` or `log [APP] [COUNT]`, which is the same in every language.
  package var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }

  /// All verbs (first words of commands) without duplicates, in the order of the help.
  package static let verbs = table.map(\.verb).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }

  package static func rows(of verb: String) -> [VerbRow] { table.filter { $0.verb == verb } }

  package static func actions(of verb: String) -> [String] { rows(of: verb).compactMap(\.action) }

  /// Returns the syntax of all commands with this verb, separated by vertical bars.
  package static func usage(of verb: String) -> String { rows(of: verb).map(\.usage).joined(separator: " | ") }
}

extension VerbRow: Hashable {
  package static func == (left: VerbRow, right: VerbRow) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The kind of an argument of a command, for example the id of an app.
package indirect enum VerbArgument: Hashable, Sendable {
  case app, allowance, duration, accuracy, prompt, choice, count, token, name, names, radius, centre
  /// The second word of a command, for example `add` of `key add`.
  case action
  case optional(VerbArgument)

  /// The valid words for the argument; empty if the argument is a name or a number.
  package var words: [String] {
    switch self {
    case .app, .prompt, .count, .name, .names, .radius, .centre, .action: []
    case .allowance: ["while-using", "always"]
    case .duration: ["for"]
    case .accuracy: FixAccuracy.allCases.map(\.rawValue)
    case .choice: PromptChoice.allCases.map(\.rawValue)
    case .token: ["token"]
    case .optional(let argument): argument.words
    }
  }

  fileprivate var usage: String {
    switch self {
    case .app: "APP"
    case .prompt: "PROMPT"
    case .choice: "CHOICE"
    case .count: "COUNT"
    case .name: "NAME"
    case .names: "NAME…"
    case .radius: "RADIUS"
    case .centre: "LAT LON"
    case .duration: "for DURATION"
    case .allowance, .accuracy, .token, .action: words.joined(separator: "|")
    case .optional(let argument): "[\(argument.usage)]"
    }
  }
}

/// The argument values of a typed command. The value of an omitted argument is empty, nil or a default.
package struct VerbValues: Hashable, Sendable {
  package var app = ""
  /// The permanent authorization that the command `allow` gives to an app: `whenInUse` or `always`.
  package var allowance = AuthorizationStatus.whenInUse
  /// The duration of the authorization that the command gives; nil for an authorization without an end.
  package var duration: Duration?
  package var accuracy: FixAccuracy?
  /// The identifier of the prompt (a question to the user) that the command answers; nil for the open prompt.
  package var prompt: Int?
  package var choice = PromptChoice.no
  /// The count of log entries that the command shows; nil for the default count.
  package var count: Int?
  /// Whether the command creates a token (true) or a key (false).
  package var isToken = false
  package var names: [String] = []
  /// The radius of a place (a named circle on the ground) in metres.
  package var radius = 0.0
  package var centre: Coordinate?

  var optionalApp: String? { app.isEmpty ? nil : app }
  var name: String { names.first ?? "" }
}
