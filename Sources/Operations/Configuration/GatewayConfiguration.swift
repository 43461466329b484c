package import Base
internal import Hardware
package import LineProtocol
package import OperatingSystem

/// The rule that selects which apps get a fix by a press of the button, if several apps wait.
package enum PressServes: String, Hashable, Sendable, CaseIterable {
  /// A press of the button gives a fix to one app. The other apps wait for the next press.
  case one
  /// A press of the button gives the same fix to every waiting app that needs no prompt (question to the user).
  case all
}

/// The configuration of the gateway, which an owner writes in the file `onefix.toml`.
package struct GatewayConfiguration: Sendable {
  /// The name of the gateway: 1...32 lower-case letters, digits and `-`.
  package var gateway = "onefix"
  /// The selected board (declaration of the hardware); nil if the file selects none. The command line can select a
  /// different board.
  package private(set) var board: BoardChoice?
  package var language = Language.english
  /// Whether a display next to the button shows prompts (questions to the user). The user can then answer a prompt with
  /// a double press.
  package var hasPromptDisplay = false
  package var pressServes = PressServes.one
  /// The maximum time for which a request waits for a press of the button, 1...3600 s.
  package var armTimeout = Duration.seconds(300)
  /// The accuracy of apps without the key `accuracy` in their table. A user can change the accuracy of an app later.
  package var defaultAccuracy = FixAccuracy.full
  /// Whether approximate fixes become even less precise while the device moves faster than 5 m/s.
  package var coarsensTravel = false
  /// Whether apps can register regions (circles on the ground whose entry and exit the gateway reports).
  package var allowsRegions = false
  /// The time for which the gateway keeps the log of disclosures (fixes that apps received), in whole days, 1...36500.
  package var logRetention = Duration.seconds(400 * 86_400)
  package var apps: [AppConfiguration] = []
  /// For each app, the lines of the keys of its table in the configuration file.
  private var appLines: [AppID: [String: Int]] = [:]
  package private(set) var log = LogLevels()
  package var realtime = Realtime()
  /// The receiver settings in `onefix.toml`, which override the settings in `board.toml`; nil for none.
  package private(set) var receiver: ReceiverOptions?
  /// The button settings in `onefix.toml`, which override the settings in `board.toml`.
  package private(set) var buttons: [ButtonSettings] = []
  /// The LED settings in `onefix.toml`, which override the settings in `board.toml`; nil for none.
  package private(set) var indicator: IndicatorSettings?
  /// Whether other programs on this machine may also read the receiver, without an authorization of the gateway.
  package var allowsSharedReceiver = false
  /// Whether the gateway may store its state on a file system that loses changes when the machine stops.
  package var allowsVolatileState = false
  private var receiverLocations: [ConfigurationKey: ConfigurationLocation] = [:]
  /// The configured features (optional interfaces of the gateway), in the order of the list of all features.
  package private(set) var features: [any ConfiguredFeature] = []
  /// The settings whose changes take effect only after a restart of the daemon.
  package private(set) var fixed = FixedSettings()
  /// The path of `onefix.toml`; nil if the configuration comes from no file.
  package private(set) var file: String?
  /// Whether the configuration comes from no file, or from a file without any text.
  package private(set) var isEmpty = true

  package init() {}

  /// Reads and parses a configuration file.
  /// - Parameters:
  ///   - isRequired: Whether a missing file is an error. If false, a missing file gives the default configuration.
  ///   - types: The features (optional interfaces of the gateway) whose tables the file can have.
  /// - Throws: `ConfigurationError` with all errors of the file.
  package init(
    readingFrom path: String, isRequired: Bool = true, features types: [any ConfiguredFeature.Type] = []
  ) throws(ConfigurationError) {
    if let bytes = try ConfigurationFile.read(path) {
      try self.init(parsing: bytes, file: path, features: types)
    } else if isRequired {
      throw ConfigurationError(file: path, "no such file")
    } else {
      self.init()
    }
  }

  /// Parses the text of a configuration file.
  /// - Parameters:
  ///   - types: The features (optional interfaces of the gateway) whose tables the file can have.
  ///   - uid: Returns the numeric id of a user name; nil if the user does not exist.
  /// - Throws: `ConfigurationError` with all errors of the file.
  package init(
    parsing bytes: [UInt8], file: String, features types: [any ConfiguredFeature.Type] = [],
    uid: ((String) -> UInt32?)? = nil
  ) throws(ConfigurationError) {
    let root = try TOMLTable(parsing: bytes, file: file)
    self.file = file
    isEmpty = String(decoding: bytes, as: UTF8.self).allSatisfy(\.isWhitespace)
    fixed = FixedSettings(root, types)
    let name = root.parsed("gateway", rule: "1...32 lower-case letters, digits and '-'") {
      $0.isName(upTo: 32) ? $0 : nil
    }
    gateway = name?.value ?? gateway
    board = root.string("board").map { BoardChoice(name: $0.value, location: root.location(of: $0)) }
    language = root.choice("language", of: Language.self)?.value ?? language
    hasPromptDisplay = root.boolean("prompt_display")?.value ?? hasPromptDisplay
    pressServes = root.choice("press_serves", of: PressServes.self)?.value ?? pressServes
    armTimeout = root.integer("arm_timeout_s", in: 1...3600).map { .seconds($0.value) } ?? armTimeout
    defaultAccuracy = root.choice("default_accuracy", of: FixAccuracy.self)?.value ?? defaultAccuracy
    coarsensTravel = root.boolean("coarsen_travel")?.value ?? coarsensTravel
    allowsRegions = root.boolean("regions")?.value ?? allowsRegions
    allowsSharedReceiver = root.boolean("allow_shared_receiver")?.value ?? allowsSharedReceiver
    allowsVolatileState = root.boolean("allow_volatile_state")?.value ?? allowsVolatileState
    logRetention =
      root.integer("log_retention_days", in: 1...36_500).map { .seconds($0.value * 86_400) } ?? logRetention
    // An app at a port or a broker counts as known even if another key of its table has an error.
    let known = types.filter { $0.identifiesApp }.flatMap { root.apps(inTables: $0.table) }
    (apps, appLines) = GatewayConfiguration.apps(
      in: root, defaultAccuracy: defaultAccuracy, known: Set(known), uid: uid ?? ConfigurationFile.uid(named:))
    log = root.table("log").map { LogLevels(reading: $0) } ?? log
    realtime = root.table("realtime").map { Realtime(reading: $0) } ?? realtime
    receiver = ReceiverOptions.read(in: root)
    receiverLocations = Board.receiverLocations(in: root)
    buttons = ButtonSettings.all(in: root)
    indicator = root.table("indicator").map { IndicatorSettings(reading: $0) }
    features = types.compactMap { $0.init(reading: root, self) }
    features.checkClaims(root.diagnostics)
    root.finish()
    try root.diagnostics.throwIfAny()
  }

  /// Reads the settings of features (optional interfaces) from `board.toml`, and adds the features that `onefix.toml`
  /// does not configure.
  package mutating func addFeatures(
    of board: Board, _ types: [any ConfiguredFeature.Type]
  ) throws(ConfigurationError) {
    guard let bytes = try ConfigurationFile.read(board.file) else { return }
    let root = try TOMLTable(parsing: bytes, file: board.file)
    for type in types where type.isOfBoards && !features.contains(where: { Swift.type(of: $0) == type }) {
      if let feature = type.init(reading: root, self) { features.append(feature) }
    }
    try root.diagnostics.throwIfAny()
  }

  /// The names of the apps for users. The key is the id of the app.
  package var appNames: [AppID: String] { Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.name) }) }

  /// Returns the place of a key of an app in the configuration file, for messages; nil if the app has no such key.
  package func location(of key: String, for app: AppID) -> ConfigurationLocation? {
    appLines[app]?[key].map { ConfigurationLocation(file: file ?? "onefix.toml", line: $0) }
  }

  /// Whether the configuration gives at least one app an accuracy below `full`.
  package var hasReducedApps: Bool { apps.contains { $0.accuracy < .full } }

  /// Checks that no Unix socket for a single app, and no file of a feature, has the path of a Unix socket of the daemon
  /// itself.
  /// - Parameter own: The paths of the socket for all apps and of the socket for owners.
  /// - Throws: `ConfigurationError` with an error for each such path.
  package func checkSockets(apartFrom own: [String]) throws(ConfigurationError) {
    let faults = Diagnostics(file: file ?? "onefix.toml")
    features.checkClaims(apartFrom: own, faults)
    try faults.throwIfAny()
  }

  /// Returns a copy of the board in which the settings of `onefix.toml` replace the settings of `board.toml`.
  /// - Throws: `ConfigurationError` if the settings name a button or an indicator that the board does not have, or an
  ///   app that is not configured.
  package func applied(to board: Board) throws(ConfigurationError) -> Board {
    var board = board
    let faults = Diagnostics(file: file ?? "onefix.toml")
    for settings in buttons {
      guard let index = board.buttons.firstIndex(where: { $0.name == settings.name }) else {
        let names = board.buttons.map(\.name)
        let suggestion = DiagnosticText.suggestion(for: settings.name, among: names)
        faults.report(
          settings.line,
          "board \(quoted(board.name)) has no button \(quoted(settings.name))"
            + (suggestion.isEmpty ? " (it has \(names.joined(separator: ", ")))" : suggestion))
        continue
      }
      board.buttons[index] = settings.applied(to: board.buttons[index])
      for app in settings.apps ?? [] where !apps.contains(where: { $0.id.name == app.value }) {
        faults.reportUnknownApp(app.value, line: app.line, among: apps)
      }
    }
    if let receiver {
      board.receiver = receiver.source ?? board.receiver
      board.receiverOptions = receiver.overriding(board.receiverOptions)
    }
    if let indicator {
      if let profile = board.indicator {
        board.indicator = indicator.applied(to: profile)
      } else {
        faults.report(indicator.line, "board \(quoted(board.name)) has no indicator to configure")
      }
    }
    board.wire(buttons, indicator)
    board.recordLocations(of: buttons, indicator, in: file ?? "onefix.toml")
    board.locations.merge(receiverLocations) { $1 }
    try faults.throwIfAny()
    return board
  }

  private static func apps(
    in root: TOMLTable, defaultAccuracy: FixAccuracy, known: Set<AppID>, uid: (String) -> UInt32?
  ) -> ([AppConfiguration], lines: [AppID: [String: Int]]) {
    let found = root.tables("app").compactMap { table in
      AppConfiguration(reading: table, defaultAccuracy: defaultAccuracy, known: known, uid: uid).map { ($0, table) }
    }
    let apps = root.distinct(found, by: \.0.id, line: \.1.line, name: { "app \(quoted($0.0.id.name))" })
    return (apps.map(\.0), Dictionary(uniqueKeysWithValues: apps.map { ($0.0.id, $0.1.lines) }))
  }
}

/// The selected board (declaration of the hardware), and the place of the selection for error messages. The place is a
/// line of the configuration, or a command line option.
package struct BoardChoice: Hashable, Sendable {
  package var name: String
  package var location: ConfigurationLocation

  package init(name: String, location: ConfigurationLocation = ConfigurationLocation(file: "--board", line: nil)) {
    self.name = name
    self.location = location
  }
}

/// The settings of the table `[realtime]`, which prevent other programs from delaying the reaction to a press of the
/// button.
package struct Realtime: Hashable, Sendable {
  /// The SCHED_FIFO priority of the thread that reads the buttons, 1...99; nil for normal scheduling.
  package var priority: Int?
  /// Whether the daemon's memory is locked in RAM, so that the kernel cannot swap out the memory.
  package var locksMemory = false

  package init() {}

  init(reading table: TOMLTable) {
    priority = table.integer("priority", in: 1...99).map { Int($0.value) }
    locksMemory = table.boolean("lock_memory")?.value ?? false
    table.finish()
  }
}
