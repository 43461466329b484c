package import Languages
package import LineProtocol

/// A command of an owner to a gateway. The shell and the console accept the same commands.
package enum OwnerVerb: Hashable, Sendable {
  case status
  case apps
  case show(app: String)
  case allow(app: String, Allowance)
  case deny(app: String)
  case reset(app: String)
  case accuracy(app: String, FixAccuracy)
  case prompts
  /// Answers a prompt. If the number is nil, answers the open prompt.
  case answer(prompt: Int?, PromptChoice, accuracy: FixAccuracy?)
  case regions(app: String?)
  case place(PlaceCommand)
  case use(app: String)
  /// Creates a key or a token for an app, and replaces the previous key or token.
  case addKey(app: String, isToken: Bool)
  case revokeKey(app: String)
  /// Lists the latest entries of the log, by default 10.
  case log(app: String?, count: Int?)
  case receiver
  case reload
  case page
  case lock

  /// A standing authorization that the command `allow` gives to an app. A single fix needs a press of the button, so
  /// the command cannot permit it.
  package enum Allowance: String, Hashable, Sendable, CaseIterable {
    case whileUsing = "while-using"
    case always
  }

  /// The app that the command changes or shows. Nil if the command applies to no app or to all apps. Nil for the
  /// places, too: if the gateway refuses such a command, either the app or the name of a place may be unknown.
  package var app: String? {
    switch self {
    case .show(let app), .allow(let app, _), .deny(let app), .reset(let app), .accuracy(let app, _), .use(let app),
      .addKey(let app, _), .revokeKey(let app):
      app
    case .regions(let app), .log(let app, _): app
    case .status, .apps, .prompts, .answer, .place, .receiver, .reload, .page, .lock: nil
    }
  }
}

/// A kind of argument of a command.
package enum VerbArgument: Hashable, Sendable {
  case app
  case allowance
  case accuracy
  case prompt
  case choice
  case count
  case keyAction
  case keyKind
  case placeAction
  case placeName
  case decimal

  /// The valid words for the argument. Empty for a name or a number.
  package var words: [String] {
    switch self {
    case .app, .prompt, .count, .placeName, .decimal: []
    case .allowance: OwnerVerb.Allowance.allCases.map(\.rawValue)
    case .accuracy: FixAccuracy.allCases.map(\.rawValue)
    case .choice: PromptChoice.allCases.map(\.rawValue)
    case .keyAction: ["add", "revoke"]
    case .keyKind: ["token"]
    case .placeAction: ["add", "remove", "list", "allow", "deny"]
    }
  }
}

extension VerbPhrase {
  /// The syntax of the command, as in `allow APP [while-using|always]`. The syntax is the same in every language.
  package var usage: String {
    switch self {
    case .status, .apps, .prompts, .receiver, .reload, .page, .lock: rawValue
    case .show, .deny, .reset, .use: "\(rawValue) APP"
    case .allow: "allow APP [while-using|always]"
    case .accuracy: "accuracy APP full|reduced|place"
    case .answer: "answer [PROMPT] CHOICE [full|reduced|place]"
    case .regions: "regions [APP]"
    case .place:
      "place add NAME RADIUS [LAT LON] | place remove NAME | place list | place allow APP NAME… | place deny APP [NAME…]"
    case .key: "key add APP [token] | key revoke APP"
    case .log: "log [APP] [COUNT]"
    }
  }
}
