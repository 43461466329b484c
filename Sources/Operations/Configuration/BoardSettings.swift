internal import Base
internal import Hardware
internal import LineProtocol

/// The settings of one table `[[button]]`. A setting that is not in the file is nil, and leaves the button unchanged.
package struct ButtonSettings: Hashable, Sendable {
  package let name: String
  let line: Int
  /// The line numbers of the keys in the configuration file, by the name of the key.
  let lines: [String: Int]
  var label: String?
  var translations: [Language: String]?
  /// The height of the label next to the button in millimetres; nil if not set.
  var labelHeight: Double?
  /// The width of the label next to the button in millimetres; nil if not set.
  var labelWidth: Double?
  /// The debounce time, 0...200 ms; nil if not set.
  var debounce: Duration?
  /// The minimum duration of a hold of the button, 1...10 s; nil if not set.
  var hold: Duration?
  /// The maximum time between the two presses of a double press, 200...1000 ms; nil if not set.
  var doublePress: Duration?
  var apps: [Located<String>]?
  var wiring: LineSpec?

  func applied(to button: ButtonProfile) -> ButtonProfile {
    var button = button
    if let label { button.label = label }
    // The translations belong to one label, so a new label removes the previous translations.
    if label != nil || translations != nil { button.translations = translations ?? [:] }
    if let labelHeight { button.labelHeight = labelHeight }
    if let labelWidth { button.labelWidth = labelWidth }
    if let debounce { button.timing.quiet = debounce }
    if let hold { button.timing.hold = hold }
    if let doublePress { button.doublePress = doublePress }
    if let apps { button.apps = Set(apps.map(\.value)) }
    return button
  }

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let name = table.parsed("name", rule: "1...32 lower-case letters, digits, '.', '-' and '_'") {
      AppID($0) != nil && $0.utf8.count <= 32 ? $0 : nil
    }
    (label, translations) = ButtonSettings.labels(in: table)
    labelHeight = table.number("label_height_mm", in: 0...1000)?.value
    labelWidth = table.number("label_width_mm", in: 0...10_000)?.value
    debounce = table.milliseconds("debounce_ms", in: 0...200)?.value
    hold = table.milliseconds("hold_ms", in: 1000...10_000)?.value
    doublePress = table.milliseconds("double_press_ms", in: 200...1000)?.value
    wiring = LineSpec(readingFrom: table, isInput: true)
    apps = table.strings("apps")
    if apps?.isEmpty == true { table.reject("apps", line: table.line, "is empty (omit it to serve every app)") }
    for app in apps ?? [] where AppID(app.value) == nil {
      table.reject(
        "apps", line: app.line, "has \(quoted(app.value)), but an app id must be \(AppConfiguration.idRule)")
    }
    table.require("name")
    guard let name else { return nil }
    self.name = name.value
    self.line = table.line
    self.lines = table.lines.merging(ButtonSettings.labelLines(in: table)) { $1 }
  }

  /// The line numbers of the label's texts. The key is `label.` and the language, for example `label.de`.
  private static func labelLines(in table: TOMLTable) -> [String: Int] {
    guard case .table(let entries) = table.node("label")?.content else { return [:] }
    return Dictionary(entries.map { ("label.\($0.key)", $0.line) }) { first, _ in first }
  }

  /// Returns the label of the button in one language; nil if the key is missing. A blank text is reported as an error.
  private static func label(_ key: String, in table: TOMLTable) -> String? {
    table.checked(key, table.plainText(key, columns: 80)) { text in
      text.contains { $0 != " " } ? nil : "is empty (omit the key if the button has no label)"
    }?.value
  }

  /// Returns the English label of the button, and its translations. The value of the key `label` is either one text for
  /// all languages, or a table with a text for each language.
  private static func labels(in table: TOMLTable) -> (String?, [Language: String]?) {
    guard let node = table.node("label"), case .table = node.content else {
      return (label("label", in: table), nil)
    }
    guard let texts = table.table("label") else { return (nil, nil) }
    var labels: [Language: String] = [:]
    for language in Language.allCases { labels[language] = label(language.rawValue, in: texts) }
    texts.finish()
    if labels[.english] == nil { texts.require(Language.english.rawValue) }
    return (labels[.english], labels.filter { $0.key != .english })
  }

  /// Parses all tables `[[button]]` of a file. Two buttons with the same name are reported as an error.
  static func all(in root: TOMLTable) -> [ButtonSettings] {
    root.distinct(
      root.tables("button").compactMap { ButtonSettings(reading: $0) }, by: \.name, line: \.line,
      name: { "button \(quoted($0.name))" })
  }
}

/// The settings of the table `[indicator]` (LED). A setting that is not in the file is nil, and leaves the indicator
/// unchanged.
package struct IndicatorSettings: Hashable, Sendable {
  let line: Int
  let lines: [String: Int]
  var colour: Colour?
  /// The brightness of the indicator (LED), 0...1; nil if not set.
  var brightness: Double?
  var panelColour: Colour?
  /// The time for which the indicator (LED) is on when an app receives a single fix, 0...60 s; nil if not set.
  var onceDuration: Duration?
  var patterns: [Indication: IndicatorPattern]
  var wiring: IndicatorWiring?
  /// The GPIO input line that senses whether the indicator (LED) is lit; nil for no such line.
  var sense: LineSpec?

  func applied(to indicator: IndicatorProfile) -> IndicatorProfile {
    var indicator = indicator
    if let colour { indicator.colour = colour }
    if let brightness { indicator.brightness = brightness }
    if let panelColour { indicator.panelColour = panelColour }
    if let onceDuration { indicator.onceDuration = onceDuration }
    indicator.patterns.merge(patterns) { $1 }
    return indicator
  }

  init(reading table: TOMLTable) {
    line = table.line
    lines = table.lines
    // A black light is always dark.
    colour =
      table.checked("colour", IndicatorSettings.colour("colour", in: table)) { colour in
        colour == Colour(red: 0, green: 0, blue: 0) ? "is '\(colour)', but a black light cannot be seen" : nil
      }?.value
    brightness = table.number("brightness", in: 0...1)?.value
    panelColour = IndicatorSettings.colour("panel_colour", in: table)?.value
    onceDuration = table.milliseconds("once_ms", in: 0...60_000)?.value
    patterns = table.table("patterns").map(IndicatorSettings.patterns) ?? [:]
    wiring = IndicatorWiring(readingFrom: table)
    sense = table.table("sense").flatMap { LineSpec.all(of: $0, isInput: true) }
    table.finish()
  }

  private static func colour(_ key: String, in table: TOMLTable) -> Located<Colour>? {
    table.parsed(key, rule: "'#rrggbb'") { Colour($0) }
  }

  /// Parses the blink patterns of the LED. The key is the state of the gateway that the pattern shows. The state `off`
  /// has no pattern, because a dark LED always means that no app receives location.
  private static func patterns(in table: TOMLTable) -> [Indication: IndicatorPattern] {
    var patterns: [Indication: IndicatorPattern] = [:]
    for indication in Indication.allCases where indication != .off {
      let repetitions = IndicatorPattern.standard(indication).repetitions
      patterns[indication] = table.pattern(
        indication.rawValue, phases: 1...64, milliseconds: 1...60_000, repetitions: repetitions)
    }
    table.finish()
    return patterns
  }
}
