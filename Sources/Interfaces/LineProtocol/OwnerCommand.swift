public import Base

/// A command that an owner (an administrator of the gateway) sends on the Unix socket for owners.
public enum OwnerCommand: Hashable, Sendable {
  /// The maximum count of log entries or sessions in one reply. The argument `after` of a further command continues the
  /// list. The limit bounds the memory for a client that reads slowly.
  public static let mostEntries = 2000

  /// Lists every app with its authorization.
  case apps
  /// Lists the open prompts (questions to the user).
  case prompts
  /// Lists the latest entries of the log of all fixes, at most `mostEntries`. With `after`, the command lists the
  /// entries after this entry number.
  case log(since: UTCTime?, app: String?, limit: Int?, after: Int? = nil)
  /// Checks whether another program changed the log.
  case verify
  /// Counts the requests that ended without a fix, by day, app and reason.
  case counts(since: UTCTime?)
  /// Answers a prompt (a question to the user), given by its number. The accuracy is nil if the user chose none. The
  /// log records the display on which the user read the prompt.
  case answer(prompt: Int, PromptChoice, accuracy: FixAccuracy?, on: PromptDisplay = PromptDisplay())
  /// Changes a setting of an app with immediate effect: its authorization status or its accuracy.
  case set(app: String, AppSetting)
  /// Marks all sessions of an app as in use, so that a permission "while using" applies.
  case use(app: String)
  /// Deletes the decision of a user about an app, so that a prompt (a question to the user) can ask again.
  case reset(app: String)
  /// Creates a key or a token for an app, which replaces the previous key and token. The secret is in the reply only.
  case addKey(app: String, isToken: Bool = false)
  /// Revokes the key and the token of an app.
  case revokeKey(app: String)
  /// Makes the gateway read its configuration file again.
  case reload
  /// Creates a login link for the web page for owners (administrators). The link works once.
  case page
  /// Activates the kill switch: the gateway gives no location to any app until a user holds the button.
  case lock
  /// Lists the regions (circles on the ground) of all apps, or of one app.
  case regions(app: String?)
  /// Changes or lists the places (named circles on the ground), or changes which apps may know their names.
  case place(PlaceCommand)
  /// Lists the first sessions of apps, at most `mostEntries`. With `after`, the command lists the sessions after this
  /// session number.
  case sessions(app: String?, limit: Int?, after: Int? = nil)
  /// Asks for the satellites in view and for the quality of the fix. The reply contains no position.
  case sky
  /// Asks for the metrics of the gateway in the OpenMetrics format.
  case metrics
  /// Asks for the settings of the display module. `frame` is the instant of the present picture. `prompt` is the
  /// identifier of the prompt (a question to the user) that the display has shown completely.
  case display(frame: MonotonicInstant?, prompt: Int?)
  /// Simulates a press of the button for 1...60,000 milliseconds. The reply comes after the release of the button.
  case press(milliseconds: Int?, button: String?)
  /// Simulates a hold of the button (a long press).
  case hold(button: String?)
}

// MARK: The lines of the protocol

extension OwnerCommand {
  enum Verb: String, CaseIterable {
    case apps = "APPS", prompts = "PROMPTS", log = "LOG", verify = "VERIFY", counts = "COUNTS", answer = "ANSWER"
    case set = "SET", use = "USE", reset = "RESET", key = "KEY", reload = "RELOAD", page = "PAGE", lock = "LOCK"
    case regions = "REGIONS", sessions = "SESSIONS", sky = "SKY", metrics = "METRICS", press = "PRESS", hold = "HOLD"
    case place = "PLACE", display = "DISPLAY"

    static let all = allCases
  }

  init(_ verb: Verb, parsing words: inout Words) throws(LineError) {
    switch verb {
    case .apps: self = .apps
    case .prompts: self = .prompts
    case .log:
      let options = try Options(parsing: &words, [.since, .app, .limit, .after])
      self = .log(since: options.since, app: options.app, limit: options.limit, after: options.after)
    case .verify: self = .verify
    case .counts: self = .counts(since: try Options(parsing: &words, [.since]).since)
    case .answer:
      let prompt = try words.number("a prompt's number", in: 1...Int.max)
      guard let choice = words.choice(try words.argument("an answer"), of: PromptChoice.allCases) else {
        let choices = PromptChoice.allCases.map(\.rawValue).joined(separator: ", ")
        throw LineError(.badArgument, "the answer must be one of: \(choices)")
      }
      let options = try Options(parsing: &words, [.accuracy, .language, .surface])
      self = .answer(prompt: prompt, choice, accuracy: options.accuracy, on: options.display)
    case .set: self = .set(app: try words.app(), try AppSetting(parsing: &words))
    case .use: self = .use(app: try words.app())
    case .reset: self = .reset(app: try words.app())
    case .key:
      let change = try words.argument("ADD or REVOKE")
      let isNew = words.matches(change, "ADD")
      guard isNew || words.matches(change, "REVOKE") else {
        throw LineError(.badArgument, "'KEY' must be followed by 'ADD' or 'REVOKE'")
      }
      let app = try words.app()
      let isToken = words.peek.map { words.matches($0, "TOKEN") } ?? false
      self = isNew ? .addKey(app: app, isToken: isToken) : .revokeKey(app: app)
    case .reload: self = .reload
    case .page: self = .page
    case .lock: self = .lock
    case .regions: self = .regions(app: try Options(parsing: &words, [.app]).app)
    case .sessions:
      let options = try Options(parsing: &words, [.app, .limit, .after])
      self = .sessions(app: options.app, limit: options.limit, after: options.after)
    case .sky: self = .sky
    case .metrics: self = .metrics
    case .display:
      let options = try Options(parsing: &words, [.frame, .prompt])
      self = .display(frame: options.frame, prompt: options.prompt)
    case .press:
      let options = try Options(parsing: &words, [.milliseconds, .button])
      self = .press(milliseconds: options.milliseconds, button: options.button)
    case .hold: self = .hold(button: try Options(parsing: &words, [.button]).button)
    case .place: self = .place(try PlaceCommand(parsing: &words))
    }
  }

  func write(to buffer: inout TextBuffer) {
    switch self {
    case .apps: buffer.append("APPS")
    case .prompts: buffer.append("PROMPTS")
    case .verify: buffer.append("VERIFY")
    case .counts(let since): Options(since: since).write("COUNTS", to: &buffer)
    case .log(let since, let app, let limit, let after):
      Options(since: since, app: app, limit: limit, after: after).write("LOG", to: &buffer)
    case .answer(let prompt, let choice, let accuracy, let display):
      buffer.append("ANSWER ", prompt)
      Options(accuracy: accuracy, display: display).write(" \(choice.rawValue)", to: &buffer)
    case .set(let app, let setting):
      buffer.append("SET ", app)
      switch setting {
      case .status(let status, let duration):
        buffer.append(" status ", status.rawValue)
        buffer.append(" for=", duration.map { Int($0.components.seconds) })
      case .accuracy(let accuracy): buffer.append(" accuracy ", accuracy.rawValue)
      }
    case .use(let app): buffer.append("USE ", app)
    case .reset(let app): buffer.append("RESET ", app)
    case .addKey(let app, let isToken):
      buffer.append("KEY ADD ", app)
      if isToken { buffer.append(" token") }
    case .revokeKey(let app): buffer.append("KEY REVOKE ", app)
    case .reload: buffer.append("RELOAD")
    case .page: buffer.append("PAGE")
    case .lock: buffer.append("LOCK")
    case .metrics: buffer.append("METRICS")
    case .regions(let app): Options(app: app).write("REGIONS", to: &buffer)
    case .sessions(let app, let limit, let after):
      Options(app: app, limit: limit, after: after).write("SESSIONS", to: &buffer)
    case .sky: buffer.append("SKY")
    case .display(let frame, let prompt): Options(frame: frame, prompt: prompt).write("DISPLAY", to: &buffer)
    case .press(let milliseconds, let button):
      Options(milliseconds: milliseconds, button: button).write("PRESS", to: &buffer)
    case .hold(let button): Options(button: button).write("HOLD", to: &buffer)
    case .place(let command): command.write(to: &buffer)
    }
  }

  /// The `key=value` arguments of an owner's command. Absent arguments are nil.
  fileprivate struct Options {
    var since: UTCTime?
    var app: String?
    var limit: Int?
    var after: Int?
    var milliseconds: Int?
    var button: String?
    var accuracy: FixAccuracy?
    var display = PromptDisplay()
    var frame: MonotonicInstant?
    var prompt: Int?
  }
}

extension OwnerCommand.Options {
  /// Reads the `key=value` arguments of a command. Keys that are not in `keys` are ignored.
  init(parsing words: inout Words, _ keys: [Key]) throws(LineError) {
    while let (key, value) = words.pair() {
      guard let key, keys.contains(key) else { continue }
      switch key {
      case .since: since = try words.time(value)
      case .app: app = words.text(value)
      case .limit: limit = try words.number(value, "limit", in: 1...OwnerCommand.mostEntries)
      case .after: after = try words.number(value, "after", in: 0...Int.max)
      case .milliseconds: milliseconds = try words.number(value, "ms", in: 1...60_000)
      case .button: button = words.text(value)
      case .accuracy: accuracy = try words.accuracy(value)
      case .language: display.language = try PromptDisplay.checked(language: words.text(value))
      case .surface:
        guard let surface = words.choice(value, of: PromptDisplay.Surface.allCases) else {
          throw LineError(.badArgument, "surface must be console or page")
        }
        display.surface = surface
      case .frame:
        frame = MonotonicInstant(nanoseconds: Int64(try words.number(value, "frame", in: 0...Int.max)))
      case .prompt: prompt = try words.number(value, "prompt", in: 1...Int.max)
      default: break
      }
    }
  }

  /// Appends a command to a buffer: its first words, and then the arguments that are not nil.
  func write(_ beginning: String, to buffer: inout TextBuffer) {
    buffer.append(beginning)
    if let since {
      buffer.append(" since=")
      buffer.append(since)
    }
    buffer.append(" app=", app)
    buffer.append(" limit=", limit)
    buffer.append(" after=", after)
    buffer.append(" ms=", milliseconds)
    buffer.append(" button=", button)
    buffer.append(" accuracy=", accuracy?.rawValue)
    buffer.append(" language=", display.language)
    buffer.append(" surface=", display.surface?.rawValue)
    buffer.append(" frame=", frame.map { Int($0.nanoseconds) })
    buffer.append(" prompt=", prompt)
  }
}

// MARK: The words that an owner types

extension VerbRow {
  /// The kind of text with which programs show the reply of the gateway to the owner (administrator).
  package enum Answer: Hashable, Sendable {
    case status, receiver, apps, app, change, accuracyChange, use, key, prompts, answer, regions, places, log, reload
    case page
    /// A fixed sentence, from the row of the table `DonePhrase` with the name of the command.
    case done

    /// Whether the terminal program `onefix top` shows the text as a list, until the owner presses a key.
    package var isList: Bool {
      switch self {
      case .status, .receiver, .apps, .app, .key, .prompts, .regions, .places, .log, .page: true
      case .change, .accuracyChange, .use, .answer, .reload, .done: false
      }
    }
  }

  /// All commands that an owner (administrator) can type, in the order of the help. `VerbPhrase` contains the help text
  /// of each command.
  package static let table: [VerbRow] = [
    VerbRow(name: "status", answer: .status) { _ in [.status] },
    VerbRow(name: "apps", answer: .apps) { _ in [.owner(.apps)] },
    VerbRow(name: "show", arguments: [.app], answer: .app) { _ in [.owner(.apps)] },
    VerbRow(
      name: "allow", arguments: [.app, .optional(.allowance), .optional(.duration)], answer: .change, isOnPage: true,
      keys: [
        Key(letter: "a", words: ["always"], question: .allowAlways, help: StatusPhrase.always),
        Key(letter: "w", words: ["while-using"], question: .allowWhileUsing, help: StatusPhrase.whileUsing),
      ],
      about: """
        Without while-using or always, the authorization is while-using. With for and a duration from 1m to 30d, as in \
        for 90m, for 2h or for 7d, the authorization ends after this time, and the former one comes back. This cannot \
        allow single fixes, which need the button or an answer to a prompt.
        """
    ) { [.owner(.set(app: $0.app, .status($0.allowance, for: $0.duration))), .owner(.apps)] },
    VerbRow(
      name: "deny", arguments: [.app], answer: .change, isOnPage: true,
      keys: [Key(letter: "d", question: .neverAllow, help: StatusPhrase.never)]
    ) { [.owner(.set(app: $0.app, .status(.denied))), .owner(.apps)] },
    VerbRow(
      name: "reset", arguments: [.app], answer: .change, isOnPage: true, keys: [Key(letter: "r", question: .forget)]
    ) {
      [.owner(.reset(app: $0.app)), .owner(.apps)]
    },
    VerbRow(
      name: "accuracy", arguments: [.app, .accuracy], answer: .accuracyChange, isOnPage: true,
      keys: [Key(letter: "f", words: [Key.nextAccuracy])]
    ) {
      [.owner(.set(app: $0.app, .accuracy($0.accuracy ?? .reduced))), .owner(.apps)]
    },
    VerbRow(
      name: "use", arguments: [.app], answer: .use, isOnPage: true, keys: [Key(letter: "u")],
      about: """
        While the app is in use, its authorization while-using permits fixes without a press. Use lasts at most 15 \
        minutes. The command itself gives no fix, and does not change the authorization.
        """
    ) { [.owner(.use(app: $0.app)), .owner(.apps)] },
    VerbRow(
      name: "key add", arguments: [.app, .optional(.token)], answer: .key, refusals: [.badArgument: .noKey],
      keys: [
        Key(letter: "n", question: .makeKey, help: TopPhrase.newKey),
        Key(letter: "t", words: ["token"], question: .makeToken, help: TopPhrase.newKey),
      ],
      summary: "Create a key for an app, replace the previous one, and show it once.",
      about: "Closes connections that use the previous key."
    ) { [.owner(.addKey(app: $0.app, isToken: $0.isToken))] },
    VerbRow(
      name: "key revoke", arguments: [.app], answer: .done, refusals: [.badArgument: .noKey],
      keys: [Key(letter: "v", question: .revokeKey, help: TopPhrase.oldKey)],
      summary: "Revoke the key and token of an app, and close connections that use them."
    ) { [.owner(.revokeKey(app: $0.app))] },
    VerbRow(
      name: "prompts", answer: .prompts,
      about: """
        With --watch, it runs until Ctrl-C, also across restarts of the gateway, and also prints notifications of \
        regions.
        """
    ) { _ in [.owner(.prompts)] },
    VerbRow(
      name: "answer", arguments: [.optional(.prompt), .choice, .optional(.accuracy)], answer: .answer, isOnPage: true,
      refusals: [.badArgument: .noSuchChoice],
      about: """
        As in  onefix answer while-using  or  onefix answer 3 once reduced: without a number, it answers the open \
        question. Exit status: 0 answered, 6 the question is no longer open.
        """
    ) { _ in [.owner(.prompts)] },
    VerbRow(name: "regions", arguments: [.optional(.app)], answer: .regions, keys: [Key(letter: "g")]) {
      [.owner(.regions(app: $0.optionalApp))]
    },
    VerbRow(
      name: "place add", arguments: [.name, .radius, .optional(.centre)], answer: .places,
      refusals: [.badArgument: .other],
      summary: "Add a place, or replace the place with this name.",
      about: """
        Without --at, the centre is the present position of the device. Other users of this machine can read the \
        arguments of a command while it runs, but not its standard input.
        """
    ) { [.owner(.place(.add(name: $0.name, radius: $0.radius, centre: $0.centre))), .owner(.place(.list))] },
    VerbRow(
      name: "place remove", arguments: [.name], answer: .places, refusals: [.badArgument: .noSuchPlace],
      summary: "Remove a place."
    ) {
      [.owner(.place(.remove(name: $0.name))), .owner(.place(.list))]
    },
    VerbRow(
      name: "place list", answer: .places,
      summary: "List the places and the apps that may know their names, without coordinates."
    ) { _ in [.owner(.place(.list))] },
    VerbRow(
      name: "place allow", arguments: [.app, .names], answer: .places, refusals: [.badArgument: .noSuchPlace],
      summary: "Allow an app to know the names of these places."
    ) { [.owner(.place(.allow(app: $0.app, names: $0.names))), .owner(.place(.list))] },
    VerbRow(
      name: "place deny", arguments: [.app, .optional(.names)], answer: .places, refusals: [.badArgument: .noSuchPlace],
      summary: "No longer allow an app to know these names; without names, any name."
    ) { [.owner(.place(.deny(app: $0.app, names: $0.names))), .owner(.place(.list))] },
    VerbRow(name: "log", arguments: [.optional(.app), .optional(.count)], answer: .log) {
      [.owner(.log(since: nil, app: $0.optionalApp, limit: $0.count ?? 10))]
    },
    VerbRow(name: "receiver", answer: .receiver) { _ in [.owner(.sky), .status] },
    VerbRow(
      name: "reload", answer: .reload, keys: [Key(letter: "c", question: .reloadNow)],
      about: "If the file has an error, nothing changes. Settings that need a restart are listed."
    ) { _ in [.owner(.reload)] },
    VerbRow(
      name: "page", answer: .page, refusals: [.unknownVerb: .noPage], keys: [Key(letter: "p")],
      about: """
        For a browser on this machine, within two minutes. The browser has the rights of an owner until you leave.
        """
    ) { _ in [.owner(.page)] },
    VerbRow(
      name: "lock", answer: .done, isOnPage: true, keys: [Key(letter: "l", question: .lockNow)],
      about: "Only the button unlocks."
    ) {
      _ in [.owner(.lock)]
    },
  ]
}
