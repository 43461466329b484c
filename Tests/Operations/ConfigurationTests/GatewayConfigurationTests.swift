import Base
import Hardware
import LineProtocol
import Logging
import OperatingSystem
import TemporaryFiles
import Testing

@testable import Configuration

/// Parses a configuration, in which ` | ` is the end of a line, on a system whose only user is skipper, 1000.
func configuration(_ text: String) throws(ConfigurationError) -> GatewayConfiguration {
  let lines = [UInt8](text.replacing(" | ", with: "\n").utf8)
  return try GatewayConfiguration(parsing: lines, file: "onefix.toml") { $0 == "skipper" ? 1000 : nil }
}

@Test func `an empty file and no file give the defaults`() throws {
  let directory = try TemporaryDirectory()
  for found in [try configuration(""), try GatewayConfiguration(readingFrom: directory.path("no"), isRequired: false)] {
    #expect(found.gateway == "onefix" && found.language == .english && found.pressServes == .one)
    #expect(found.armTimeout == .seconds(300) && found.logRetention == .seconds(34_560_000))
    #expect(found.defaultAccuracy == .full && found.log == LogLevels() && found.apps.isEmpty)
    #expect(
      [
        found.hasPromptDisplay, found.coarsensTravel, found.allowsRegions, found.allowsSharedReceiver,
        found.allowsVolatileState, found.realtime.locksMemory,
      ].allSatisfy { !$0 })
  }
  #expect(try !configuration("regions = false").allowsRegions)
}

@Test func `a named file must exist, and a file that cannot be read is an error also if it is not required`() throws {
  let directory = try TemporaryDirectory()
  let long = "/" + String(repeating: "x", count: 4096)
  for (path, message, isRequired) in [
    (directory.path("onefix.toml"), "no such file", true), (directory.path, "not a regular file", true),
    (long, "cannot read the file: file name too long", false),
  ] {
    #expect(throws: ConfigurationError([Diagnostic(file: path, message: message)])) {
      try GatewayConfiguration(readingFrom: path, isRequired: isRequired)
    }
  }
}

@Test(arguments: [#"uid = "geoclue""#, "uid = 102", #"unit = "geoclue.service""#])
func `GeoClue has reduced accuracy by default, unless the default of other apps is lower`(identity: String) throws {
  func accuracies(_ more: String, default usual: FixAccuracy = .full) throws -> [FixAccuracy] {
    let desktop = "default_accuracy = '\(usual.rawValue)'\n[[app]]\nid = 'desktop'\n\(identity)\n\(more)\n"
    let text = desktop + "[[app]]\nid = 'other'\nuid = 1000"
    return try GatewayConfiguration(parsing: Array(text.utf8), file: "onefix.toml") { $0 == "geoclue" ? 102 : nil }
      .apps.map(\.accuracy)
  }
  #expect(try accuracies("") == [.reduced, .full] && accuracies("", default: .reduced) == [.reduced, .reduced])
  #expect(try accuracies("", default: .place) == [.place, .place])
  #expect(try accuracies(#"accuracy = "full""#) == [.full, .full])
  #expect(try accuracies(#"accuracy = "full""#, default: .place) == [.full, .place])
}

@Test(arguments: [("full", false), ("reduced", true), ("place", true)])
func `each accuracy below full is a reduced one`(accuracy: String, isReduced: Bool) throws {
  let (first, second) = ("[[app]] | id = 'first' | uid = 1 | ", "[[app]] | id = 'second' | uid = 2")
  #expect(try configuration(first + "accuracy = '\(accuracy)' | " + second).hasReducedApps == isReduced)
  #expect(try configuration("default_accuracy = '\(accuracy)' | " + second).hasReducedApps == isReduced)
}

@Test func `every key is read`() throws {
  let found = try configuration(
    """
    gateway = "boat-7" | board = "raspberry-pi-5" | language = "zh-Hans" | prompt_display = true | press_serves = "all"
    arm_timeout_s = 60 | default_accuracy = "reduced" | coarsen_travel = true | regions = true | log_retention_days = 2
    allow_shared_receiver = true | allow_volatile_state = true | [realtime] | priority = 50 | lock_memory = true
    [[app]] | id = "ferry" | uid = 1001
    [[app]] | id = "park-finder" | uid = "skipper" | accuracy = "full" | surface = "display" | restricted = true
    name = "公園を探す"
    [[app]] | id = "log.book_2" | unit = "logbook@2.service"
    """)
  #expect(
    found.board == BoardChoice(name: "raspberry-pi-5", location: ConfigurationLocation(file: "onefix.toml", line: 2)))
  #expect(found.gateway == "boat-7" && found.language == .simplifiedChinese && found.pressServes == .all)
  #expect(found.armTimeout == .seconds(60) && found.logRetention == .seconds(172_800))
  #expect(found.defaultAccuracy == .reduced && found.hasPromptDisplay && found.coarsensTravel && found.allowsRegions)
  #expect(found.allowsSharedReceiver && found.allowsVolatileState)
  #expect(found.realtime.priority == 50 && found.realtime.locksMemory)
  #expect(
    found.apps == [
      AppConfiguration(id: try #require(AppID("ferry")), identity: .uid(1001), accuracy: .reduced, name: "ferry"),
      AppConfiguration(
        id: try #require(AppID("park-finder")), identity: .uid(1000), accuracy: .full, surface: .display,
        isRestricted: true, name: "公園を探す"),
      AppConfiguration(
        id: try #require(AppID("log.book_2")), identity: .unit("logbook@2.service"), accuracy: .reduced,
        name: "log.book_2"),
    ])
}

private let invalid = """
  gatway = "x" → 1: unknown key 'gatway' (did you mean 'gateway'?)
  colour = 1 → 1: unknown key 'colour' (known: gateway, board, language, prompt_display, press_serves, arm_timeout_s, \
    default_accuracy, coarsen_travel, regions, allow_shared_receiver, allow_volatile_state, log_retention_days, app, \
    log, realtime, receiver, button, indicator)
  language = "fr" → 1: 'language' is 'fr', but must be 'en', 'de', 'ja', 'vi' or 'zh-Hans'
  gateway = 7 → 1: 'gateway' must be a string, not an integer
  gateway = "Boat" → 1: 'gateway' is 'Boat', but must be 1...32 lower-case letters, digits and '-'
  gateway = "" → 1: 'gateway' is '', but must be 1...32 lower-case letters, digits and '-'
  gateway = "a\\u202Eb" → 1: 'gateway' is 'a\\u{202e}b', but must be 1...32 lower-case letters, digits and '-'
  gateway = "a\\u001b[2J" → 1: 'gateway' must not contain control characters, tabs or line ends
  # comment | press_serves = "al" → 2: 'press_serves' is 'al', but must be 'one' or 'all' (did you mean 'all'?)
  arm_timeout_s = 0 → 1: 'arm_timeout_s' is 0, but must be 1...3600
  log_retention_days = 0 → 1: 'log_retention_days' is 0, but must be 1...36500
  arm_timeout_s = 3601 → 1: 'arm_timeout_s' is 3601, but must be 1...3600
  arm_timeout_s = 1.5 → 1: 'arm_timeout_s' must be an integer, not a decimal number
  default_accuracy = true → 1: 'default_accuracy' must be a string, not true or false
  app = 1 → 1: 'app' must be written [[app]] for each table
  [app] | id = "x" → 1: 'app' must be written [[app]] for each table
  app = [1] → 1: 'app' must be written [[app]] for each table
  [[app]] | uid = 1 → 1: [[app]] needs 'id'
  [[app]] | id = "x" → 1: [[app]] needs 'uid', 'unit', 'key = true' or 'certificate' for authentication, or an output or a port that names the app
  [[app]] | id = "x" | key = false → 1: [[app]] needs 'uid', 'unit', 'key = true' or 'certificate' for authentication, or an output or a port that names the app
  [[app]] | id = "x" | key = "secret" → 3: 'key' in [[app]] must be true or false, not a string
  [[app]] | id = "x" | uid = 1 | unit = "x.service" → 1: [[app]] has 'uid' and 'unit', but must have only one
  [[app]] | id = "X" | uid = 1 → 2: 'id' in [[app]] is 'X', but must be 1...64 lower-case letters, digits, '.', '-' \
    and '_', beginning with a letter or digit
  [[app]] | id = "x" | uid = -1 → 3: 'uid' in [[app]] is -1, but must be 0...4294967294
  [[app]] | id = "x" | uid = 4294967295 → 3: 'uid' in [[app]] is 4294967295, but must be 0...4294967294
  [[app]] | id = "x" | uid = 1.0 → 3: 'uid' in [[app]] must be a user's number or name, not a decimal number
  [[app]] | id = "x" | uid = "skipper\\u0000" \
    → 3: 'uid' in [[app]] must not contain control characters, tabs or line ends
  receiver = "uart:/dev/tty\\nS0" → 1: 'receiver' must not contain control characters, tabs or line ends
  [[button]] | name = "a" | line = "L\\t" \
    → 3: 'line' in [[button]] must not contain control characters, tabs or line ends
  [indicator] | led = ["a", "b\\u007f", "c"] \
    → 2: 'led' in [indicator] must not contain control characters, tabs or line ends
  [[app]] | id = "x" | unit = "x" → 3: 'unit' in [[app]] is 'x', but must be a systemd service, as in 'foo.service'
  [[app]] | id = "x" | unit = "x@.service" \
    → 3: 'unit' in [[app]] is 'x@.service', but must be a systemd service, as in 'foo.service'
  [[app]] | id = "x" | unit = "@x.service" \
    → 3: 'unit' in [[app]] is '@x.service', but must be a systemd service, as in 'foo.service'
  [[app]] | id = "x" | unit = "x y.service" \
    → 3: 'unit' in [[app]] is 'x y.service', but must be a systemd service, as in 'foo.service'
  [[app]] | id = "x" | unit = "ü.service" \
    → 3: 'unit' in [[app]] is 'ü.service', but must be a systemd service, as in 'foo.service'
  [[app]] | id = "x" | uid = 1 | acuracy = "full" → 4: unknown key 'acuracy' in [[app]] (did you mean 'accuracy'?)
  [[app]] | id = "x" | uid = 1 | surface = "wall" → 4: 'surface' in [[app]] is 'wall', but must be 'display' or 'window'
  [[app]] | id = "x" | uid = 1 | restricted = "yes" → 4: 'restricted' in [[app]] must be true or false, not a string
  [[app]] | id = "x" | uid = 1 | name = " " → 4: 'name' in [[app]] is empty
  [[app]] | id = "x" | uid = 1 | name = "a\\u202Eb" \
    → 4: 'name' in [[app]] must not contain control characters, tabs or line ends
  [[app]] | id = "x" | uid = 1 | name = "公園公園公園公園公園公園公園公園公園公園x" \
    → 4: 'name' in [[app]] is 41 columns wide, but must have at most 40
  [[app]] | id = "x" | uid = 1 | [[app]] | id = "x" | uid = 2 → 4: app 'x' is configured twice (first in line 1)
  [[button]] | name = "main" | hold_ms = 500 → 3: 'hold_ms' in [[button]] is 500, but must be 1000...10000
  [[button]] | name = "main" | debounce_ms = 201 → 3: 'debounce_ms' in [[button]] is 201, but must be 0...200
  [[button]] | name = "main" | double_press_ms = 199 \
    → 3: 'double_press_ms' in [[button]] is 199, but must be 200...1000
  [[button]] | name = "main" | label_width_mm = -1 \
    → 3: 'label_width_mm' in [[button]] is -1.0, but must be 0.0...10000.0
  [[button]] | label = "x" → 1: [[button]] needs 'name'
  [[button]] | name = "a" | [[button]] | name = "a" → 3: button 'a' is configured twice (first in line 1)
  [[button]] | name = "a" | apps = [] → 1: 'apps' in [[button]] is empty (omit it to serve every app)
  [[button]] | name = "a" | apps = [1] → 3: 'apps' in [[button]] must be an array of strings, but has an integer in it
  [[button]] | name = "a" | label_height_mm = nan → 3: 'label_height_mm' in [[button]] is nan, but must be 0.0...1000.0
  [indicator] | colour = "blue" → 2: 'colour' in [indicator] is 'blue', but must be '#rrggbb'
  [indicator] | colour = "#000000" → 2: 'colour' in [indicator] is '#000000', but a black light cannot be seen
  [indicator] | brightness = 1.01 → 2: 'brightness' in [indicator] is 1.01, but must be 0.0...1.0
  [indicator] | once_ms = 60001 → 2: 'once_ms' in [indicator] is 60001, but must be 0...60000
  [indicator] | patterns = 1 → 2: 'patterns' in [indicator] must be a table, not an integer
  [indicator.patterns] | in-use = [] → 1: 'in-use' in [indicator.patterns] has 0 phases, but must have 1...64
  [indicator.patterns] | prompt = [1, 0] \
    → 2: 'prompt' in [indicator.patterns] has a phase of 0 ms, but must be 1...60000
  [indicator.patterns] | in_use = [100] → 2: unknown key 'in_use' in [indicator.patterns] (did you mean 'in-use'?)
  [indicator.patterns] | off = [100] → 2: unknown key 'off' in [indicator.patterns] (known: acquiring, in-use, \
    background, prompt, locked, nothing-waiting, not-saved)
  [realtime] | priority = 100 → 2: 'priority' in [realtime] is 100, but must be 1...99
  [log] | reciever = "debug" → 2: unknown key 'reciever' in [log] (did you mean 'receiver'?)
  [log] | store = 3 → 2: 'store' in [log] must be a string, not an integer
  gatway = "x" | [[app]] | id = "x" | uid = -1 | acuracy = "full" | [indicator] | brightness = 2 \
    → 1: unknown key 'gatway' (did you mean 'gateway'?) & 4: 'uid' in [[app]] is -1, but must be 0...4294967294 \
    & 5: unknown key 'acuracy' in [[app]] (did you mean 'accuracy'?) \
    & 7: 'brightness' in [indicator] is 2.0, but must be 0.0...1.0
  """

@Test(arguments: cases(invalid))
func `all errors are reported together, sorted by line, with the valid values`(text: String, errors: [String]) {
  #expect(faults(text) == errors)
}

@Test(arguments: [
  ("gateway = '#'", 32), ("[[app]] | id = 'x' | uid = 1 | name = '#'", 40),
  ("[[app]] | id = 'x' | unit = '#.service'", 247), ("[[button]] | name = '#'", 32),
  ("[[button]] | name = 'a' | label = '#'", 80), ("[[button]] | name = 'a' | line = '#'", 31),
  ("[[button]] | name = 'a' | line = 'L' | chip = '#'", 31),
])
func `a text of the maximum length is accepted, and an empty or longer text is not`(text: String, most: Int) {
  let counts = [0, 1, most, most + 1].map { count in
    faults(text.replacing("#", with: String(repeating: "a", count: count))).count
  }
  #expect(counts == [1, 0, 0, 1])
}

@Test func `a text of 60 characters is quoted whole, a longer text is cut, and an error lists the possible names`() {
  let text = String(repeating: "a", count: 60)
  #expect(quoted(text) == "'\(text)'" && quoted(text + "b") == "'\(text)…'")
  let names = ["a", "b", "c"]
  #expect(
    (0...3).map { DiagnosticText.alternatives(Array(names.prefix($0))) }
      == ["nothing", "'a'", "'a' or 'b'", "'a', 'b' or 'c'"])
}

@Test(arguments: [
  ("", "regions = true", ["regions"]), ("gateway = 'a'", "gateway = 'b'", ["gateway"]),
  ("[indicator] | brightness = 0.5", "[indicator] | brightness = 0.6", ["indicator"]),
  ("[realtime] | lock_memory = true", "[realtime] | lock_memory = false", ["realtime"]),
  ("receiver.constellations = ['gps']", "receiver.constellations = ['gps', 'sbas']", ["receiver"]),
  ("[[button]] | name = 'a' | hold_ms = 1000", "[[button]] | name = 'a' | hold_ms = 2000", ["button"]),
  ("gateway = 'a' | regions = true", "# a word | regions = true | gateway = 'a'", []),
  ("[indicator] | once_ms = 10 | brightness = 1", "[indicator] | brightness = 1 | once_ms = 10", []),
  ("arm_timeout_s = 1 | log_retention_days = 1", "arm_timeout_s = 2 | log_retention_days = 2", []),
  ("language = 'de' | press_serves = 'all'", "default_accuracy = 'place' | prompt_display = true", []),
  ("", "[[app]] | id = 'x' | uid = 1", []), ("", "[log] | level = 'debug'", []),
  ("[[button]] | name = 'a'", "[[button]] | name = 'a' | apps = ['x'] | double_press_ms = 300", []),
  ("", "[[button]] | name = 'a' | apps = ['x'] | [[button]] | name = 'b' | double_press_ms = 300", []),
  ("[[button]] | name = 'a' | hold_ms = 1000", "[[button]] | name = 'b' | hold_ms = 1000 | apps = ['x']", ["button"]),
])
func `the keys whose changes need a restart are those that a reload does not apply`(
  before: String, after: String, keys: [String]
) throws {
  let (first, second) = (try configuration(before), try configuration(after))
  #expect(first.fixed.differences(from: second.fixed) == keys)
  #expect(second.fixed.differences(from: first.fixed) == keys)
}

/// The rest of the message is from the library and depends on its version.
@Test(arguments: [("gateway = ", 1), ("a = 1\na = 2", 2), ("\n\n[app", 3), ("x = \"a", 1)])
func `invalid TOML is refused with its line`(text: String, line: Int) {
  let found = faults(text)
  #expect(found.count == 1 && found.first?.hasPrefix("onefix.toml:\(line): error: cannot read ") == true)
}

@Test func `an app with an unknown user is no error, and is nobody, also if the user is created later`() throws {
  let text = "[[app]]\nid = \"x\"\nuid = \"pirate\"\n[[app]]\nid = \"y\"\nuid = \"sailor\""
  var users = ["sailor": UInt32(1000)]
  let found = try GatewayConfiguration(parsing: [UInt8](text.utf8), file: "onefix.toml", uid: { users[$0] })
  users = ["pirate": 1000]
  #expect(found.apps.map(\.identity) == [.unknownUser("pirate"), .uid(1000)])
  #expect(found.apps.map(\.isWithoutUser) == [true, false])
  // Without a function, the users are those of the system.
  let system = text.replacing("sailor", with: "root")
  let apps = try GatewayConfiguration(parsing: [UInt8](system.utf8), file: "onefix.toml").apps
  #expect(apps.map(\.identity) == [.unknownUser("pirate"), .uid(0)])
}

@Test func `there is a general level of the log and one for each subsystem`() throws {
  #expect(try configuration("[log] | level = 'warning'").log == LogLevels(general: .warning))
  for subsystem in Subsystem.allCases {
    let levels = try configuration("[log] | \(subsystem.rawValue) = 'debug'").log
    #expect(levels == LogLevels(specific: [subsystem: .debug]))
  }
  let found = faults("[log] | level = 'loud'")
  let start = "onefix.toml:2: error: 'level' in [log] is 'loud', but must be 'trace', "
  #expect(found.count == 1 && found[0].hasPrefix(start), "\(found)")
}

private let digits = String(repeating: "0aF", count: 21) + "7"

@Test func `an app can have a key or a certificate in addition to a process identity`() throws {
  let pairs = stride(from: 0, to: 64, by: 2).map { String(digits.dropFirst($0).prefix(2)).uppercased() }
  let found = try configuration(
    """
    [[app]] | id = "by-key" | key = true
    [[app]] | id = "by-certificate" | certificate = "sha256:\(digits)"
    [[app]] | id = "by-all" | uid = 1001 | key = true | certificate = "sha256:\(pairs.joined(separator: ":"))"
    [[app]] | id = "by-uid" | uid = 1001
    """
  ).apps
  #expect(found.map(\.identity) == [nil, nil, .uid(1001), .uid(1001)])
  #expect(found.map(\.hasKey) == [true, false, true, false])
  #expect(found.map { $0.certificate?.count } == [nil, 32, 32, nil])
  #expect(found[1].certificate?.prefix(3) == [0x0A, 0xF0, 0xAF] && found[1].certificate?.last == 0xF7)
  #expect(found[2].certificate == found[1].certificate, "a fingerprint can have the colons of openssl")
}

@Test(arguments: [
  "", "sha256:", "\(digits)", "sha1:\(digits)", "sha256:\(digits.dropLast())", "sha256:\(digits)0",
  "sha256:\(digits.dropLast())g", "sha256:\(digits.dropLast())\u{FF11}",
])
func `an invalid fingerprint is refused with the command that prints one`(text: String) {
  let found = faults("[[app]] | id = 'x' | certificate = '\(text)'")
  #expect(found.count == 1)
  #expect(found.first?.hasPrefix("onefix.toml:3: error: 'certificate' in [[app]] is ") == true)
  #expect(found.first?.contains("openssl x509 -in FILE -noout -fingerprint -sha256") == true)
}

@Test(
  arguments: [
    ("127.0.0.1:80", "127.0.0.1:80", true), ("127.0.0.1:80", "127.0.0.1:81", false),
    ("127.0.0.1:80", "127.0.0.2:80", false), ("0.0.0.0:80", "127.0.0.1:80", true), ("0.0.0.0:80", "[::1]:80", false),
    ("[::]:80", "[::1]:80", true), ("[::]:80", "127.0.0.1:80", true), ("[::]:80", "0.0.0.0:80", true),
    ("127.0.0.1:0", "127.0.0.1:0", false), ("[::1]:80", "127.0.0.1:80", false),
  ])
func `two listeners conflict if one of them also gets the connections to the other`(
  one: String, other: String, isConflict: Bool
) throws {
  let (one, other) = (try #require(ListenEndpoint(address: one)), try #require(ListenEndpoint(address: other)))
  #expect(one.conflicts(with: other) == isConflict && other.conflicts(with: one) == isConflict)
  #expect(!one.conflicts(with: .socket("/run/a.sock")))
}
