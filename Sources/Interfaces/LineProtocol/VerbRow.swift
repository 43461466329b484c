package import Base
package import GNSS

/// A row of the table of the commands that an owner types.
package struct VerbRow: Sendable {
  /// A key of `onefix top` that gives the command, for the selected app if the command has an app.
  package struct Key: Sendable {
    /// The word for the accuracy that follows the present accuracy of the selected app.
    package static let nextAccuracy = "next-accuracy"

    package let letter: Unicode.Scalar
    /// The words after the app.
    package var words: [String] = []
    /// The question before the command; nil if the command needs no confirmation.
    package var question: TopPhrase?
    /// The help. If it is nil, the help is that of the verb.
    package var help: (any Phrase)?
  }

  /// The verb and, if several commands have the same verb, the action: `lock` or `key add`.
  package let name: String
  package var arguments: [VerbArgument] = []
  package let answer: Answer
  /// Whether the page offers the command. For example, the page cannot create a key for an app, because only a terminal
  /// can show the key.
  package var isOnPage = false
  /// The texts for refusals of the gateway that have a special meaning for this command.
  package var refusals: [ErrorCode: FailurePhrase] = [:]
  package var keys: [Key] = []
  /// The first sentence of the help in a shell; nil for the help of the verb.
  package var summary: String?
  /// More sentences for the help in a shell.
  package var about = ""
  /// Returns the commands for the values of the arguments. The reply to the last command is the answer.
  let commands: @Sendable (VerbValues) -> [Command]

  /// The first word of the command.
  package var verb: String { String(name.prefix { $0 != " " }) }

  /// The second word of the command, if several commands have the same verb.
  package var action: String? { name.firstIndex(of: " ").map { String(name[name.index(after: $0)...]) } }

  /// The syntax of the command, as in `deny APP` and `log [APP] [COUNT]`. The syntax is the same in every language.
  package var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }

  /// The verbs in the order of the help.
  package static let verbs = table.map(\.verb).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }

  package static func rows(of verb: String) -> [VerbRow] { table.filter { $0.verb == verb } }

  package static func actions(of verb: String) -> [String] { rows(of: verb).compactMap(\.action) }

  /// The syntax of all commands with a verb.
  package static func usage(of verb: String) -> String { rows(of: verb).map(\.usage).joined(separator: " | ") }
}

extension VerbRow: Hashable {
  package static func == (left: VerbRow, right: VerbRow) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// An argument of a typed command.
package indirect enum VerbArgument: Hashable, Sendable {
  case app, allowance, duration, accuracy, prompt, choice, count, token, name, names, radius, centre
  /// The second word of a command whose verb has several commands.
  case action
  case optional(VerbArgument)

  /// The valid words for the argument. Empty for a name or a number.
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

/// The values of the arguments of a typed command. A value that the command does not have is empty.
package struct VerbValues: Hashable, Sendable {
  package var app = ""
  /// The standing authorization that the command `allow` gives to an app. A single fix needs a press of the button, so
  /// the command cannot permit it.
  package var allowance = AuthorizationStatus.whenInUse
  /// The time after which the standing authorization ends; nil for an authorization without an end.
  package var duration: Duration?
  package var accuracy: FixAccuracy?
  /// The number of a prompt. If it is nil, the command answers the open prompt.
  package var prompt: Int?
  package var choice = PromptChoice.no
  /// The number of entries of the log.
  package var count: Int?
  /// Whether the command creates a token, and not a key.
  package var isToken = false
  /// The names of places.
  package var names: [String] = []
  /// A radius in metres.
  package var radius = 0.0
  package var centre: Coordinate?

  var optionalApp: String? { app.isEmpty ? nil : app }
  var name: String { names.first ?? "" }
}
