package import Base
import LineProtocol

/// A formatter of results for owners (administrators) as text in one language. No text line is wider than `columns`.
package struct TextFormatter {
  let language: Language
  let columns: Int
  var hasColours = false
  /// A function that formats a time in the reader's time zone, for example `08:31:34`; nil to show only UTC.
  var localTime: (@Sendable (UTCTime) -> String)?
  /// A function that formats the end of an authorization, for example `14:30`.
  var endTime: @Sendable (UTCTime) -> String = { TextFormatter.minute($0) + " UTC" }

  init(language: Language, columns: Int) {
    self.language = language
    self.columns = columns
  }

  /// Creates a formatter that does not wrap lines of text, for a web page or a screen with its own line wrapping.
  package init(unwrapped language: Language) { self.init(language: language, columns: 4096) }

  package func text(_ phrase: some Phrase, _ values: [Placeholder: String] = [:]) -> String {
    phrase.text(in: language, values)
  }

  func wrapped(_ phrase: some Phrase, _ values: [Placeholder: String] = [:]) -> [String] {
    Columns.wrapped(text(phrase, values), to: columns, indent: 2)
  }

  package func list(_ words: [String]) -> String {
    language.list(words)
  }

  // MARK: Apps

  func apps(_ apps: [AppMessage]) -> [String] {
    if apps.isEmpty { return wrapped(AppPhrase.noApps) }
    var table = TextTable([AppPhrase.app, .status, .accuracy, .now].map { text($0) })
    for app in apps { table.add([app.app, statusWithEnd(app), accuracy(app.accuracy), now(app) ?? ""]) }
    return table.lines(columns: columns)
  }

  func show(_ app: AppMessage) -> [String] {
    var lines = LabelledLines()
    lines.add(text(AppPhrase.app), app.app)
    if app.title != app.app { lines.add(text(AppPhrase.name), app.title) }
    let isProvisional = app.provisional == true
    lines.add(
      text(AppPhrase.status), isProvisional ? text(AppPhrase.provisional, [.value: status(app)]) : status(app))
    lines.add(text(AppPhrase.until), end(app).map { list([$0] + (then(app).map { [$0] } ?? [])) })
    lines.add(text(AppPhrase.accuracy), accuracy(app.accuracy))
    lines.add(text(AppPhrase.now), now(app) ?? text(AppPhrase.idle))
    lines.add(text(AppPhrase.sessions), app.sessions.map { "\($0)" })
    lines.add(text(AppPhrase.pause), app.pause.map { Self.time($0) + " UTC" })
    return lines.lines(columns: columns)
  }

  /// Returns the text about an app's changed authorization, for example `park-finder: While using, precise`.
  /// - Parameters:
  ///   - app: The app with its new authorization.
  ///   - withAccuracy: Whether the text always has the accuracy. If false, the accuracy is omitted for an app that may
  ///     get no fixes.
  func change(of app: AppMessage, withAccuracy: Bool) -> [String] {
    let phrase = StatusPhrase(rawValue: app.shown)
    let showsAccuracy = withAccuracy || phrase != .never && phrase != .restricted
    let value = list([statusWithEnd(app)] + (showsAccuracy ? [accuracy(app.accuracy)] : []))
    return wrapped(AppPhrase.isNow, [.app: app.title, .value: value])
  }

  func use(of app: AppMessage) -> [String] {
    wrapped(app.isInUse == true ? AppPhrase.used : .unused, [.app: app.title])
  }

  /// Returns the text with the new key or token of an app. The secret has its own text line, so that a user can copy
  /// the secret.
  func made(_ secret: String, of app: String, isToken: Bool) -> [String] {
    wrapped(isToken ? AppPhrase.tokenMade : .keyMade, [.app: app]) + Columns.wrapped(secret, to: columns)
  }

  /// Returns the text with a new login link for the web page. The link has its own text line, so that a user can copy
  /// the link.
  func page(_ link: String, seconds: Int) -> [String] {
    // The limit prevents an overflow, because the gateway can send any number.
    let minutes = (min(seconds, 1_000_000) + 59) / 60
    return Columns.wrapped(link, to: columns) + wrapped(PagePhrase.linkMade, [.count: "\(minutes)"])
  }

  func status(_ app: AppMessage) -> String { StatusPhrase(rawValue: app.shown).map { text($0) } ?? app.shown }

  /// Returns the authorization of an app as text. The end follows if there is a time limit, for example `Always until
  /// 14:30`.
  func statusWithEnd(_ app: AppMessage) -> String {
    end(app).map { text(AppPhrase.endsAt, [.value: status(app), .time: $0]) } ?? status(app)
  }

  /// Returns the end of the authorization of an app as text; nil if the authorization has no time limit.
  private func end(_ app: AppMessage) -> String? { app.until.map { end in UTCTime(iso8601: end).map(endTime) ?? end } }

  /// Returns the text about the authorization that follows when the present authorization ends; nil if the present
  /// authorization has no time limit.
  private func then(_ app: AppMessage) -> String? {
    app.then.map { word in text(AppPhrase.afterwards, [.value: StatusPhrase(rawValue: word).map { text($0) } ?? word]) }
  }

  func accuracy(_ word: String) -> String { AccuracyPhrase(rawValue: word).map { text($0) } ?? word }

  func now(_ app: AppMessage) -> String? {
    let waits = text(app.isNext == true ? AppPhrase.next : .waits)
    return now(
      isInUse: app.isInUse, updates: app.updates,
      waiting: app.armed == true ? title(waits, isForEachPress: app.isForEachPress) : nil)
  }

  /// - Parameter waiting: The text for a request that waits for a press of the button; nil if no request waits.
  func now(isInUse: Bool?, updates: String?, waiting: String?) -> String? {
    let updates: AppPhrase? = updates.map { $0 == "background" ? .backgroundFixes : .fixes }
    let phrases = (isInUse == true ? [AppPhrase.inUse] : []) + (updates.map { [$0] } ?? [])
    let texts = phrases.map { text($0) } + (waiting.map { [$0] } ?? [])
    return texts.isEmpty ? nil : list(texts)
  }

  /// Returns a text about an app that waits for a press of the button. The text says if only the outputs of the app (for
  /// example files or servers) wait, which get a fix at each press.
  package func title(_ text: String, isForEachPress: Bool?) -> String {
    isForEachPress == true ? self.text(GatewayPhrase.eachPress, [.app: text]) : text
  }

  // MARK: Regions

  func regions(_ regions: [RegionMessage]) -> [String] {
    if regions.isEmpty { return wrapped(RegionPhrase.noRegions) }
    let headings = [RegionPhrase.region, .radius, .events, .state, .text].map { text($0) }
    var table = TextTable([text(AppPhrase.app)] + headings)
    for region in regions {
      let events = region.events.split(separator: ",").map { word($0, as: RegionPhrase.self) }
      let state = word(region.state[...], as: RegionPhrase.self)
      table.add([region.app, region.id, Self.metres(region.radius), list(events), state, region.text ?? ""])
    }
    return table.lines(columns: columns)
  }

  func places(_ places: [PlaceMessage]) -> [String] {
    if places.isEmpty { return wrapped(PlacePhrase.noPlaces) }
    var table = TextTable([text(PlacePhrase.place), text(RegionPhrase.radius), text(PlacePhrase.knownTo)])
    for place in places {
      table.add([place.name, Self.metres(place.radius), list(place.apps.split(separator: ",").map(String.init))])
    }
    return table.lines(columns: columns)
  }

  private func word(_ word: Substring, as phrases: RegionPhrase.Type) -> String {
    phrases.allCases.first { "\($0)" == word }.map { text($0) } ?? String(word)
  }

  /// Returns a distance as text in metres or kilometres, for example `250 m` or `1.5 km`.
  private static func metres(_ radius: Double) -> String {
    // The gateway can send a number that is too large for `Int`.
    guard radius.magnitude < 1e9 else { return "\(radius) m" }
    let whole = Int(radius.rounded())
    if whole < 1000 { return "\(whole) m" }
    let tenths = (whole + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) km" : "\(tenths / 10).\(tenths % 10) km"
  }

  /// Returns a time in UTC as text without seconds, for example `2026-11-21 07:31`.
  static func minute(_ time: UTCTime) -> String { String(Self.time(time.iso8601).prefix(16)) }

  /// Returns a time of the line protocol without fractions of a second, as in `2026-11-21 07:31:34`.
  static func time(_ iso8601: String) -> String { String(iso8601.prefix(19).map { $0 == "T" ? " " : $0 }) }
}
