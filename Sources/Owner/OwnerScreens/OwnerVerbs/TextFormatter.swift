package import Base
import LineProtocol

/// Formats results for owners as text in one language. No line of text is wider than `columns`.
package struct TextFormatter {
  let language: Language
  let columns: Int
  /// Whether the text may have colours.
  var hasColours = false
  /// Returns a time in the time zone of the reader, as in `08:31:34`. Nil if only UTC is shown.
  var localTime: (@Sendable (UTCTime) -> String)?
  /// Returns the end of an authorization, as in `14:30`.
  var endTime: @Sendable (UTCTime) -> String = { TextFormatter.minute($0) + " UTC" }

  init(language: Language, columns: Int) {
    self.language = language
    self.columns = columns
  }

  /// Creates a formatter that does not wrap lines of text, for a web page or a screen that wraps them itself.
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

  /// Returns the text about a new authorization, as in `park-finder: While using, precise`.
  /// - Parameters:
  ///   - app: The app with its new authorization.
  ///   - withAccuracy: Whether the text always has the accuracy. If false, the text has no accuracy for an app that
  ///     gets no fixes.
  func change(of app: AppMessage, withAccuracy: Bool) -> [String] {
    let phrase = StatusPhrase(rawValue: app.shown)
    let showsAccuracy = withAccuracy || phrase != .never && phrase != .restricted
    let value = list([statusWithEnd(app)] + (showsAccuracy ? [accuracy(app.accuracy)] : []))
    return wrapped(AppPhrase.isNow, [.app: app.title, .value: value])
  }

  func use(of app: AppMessage) -> [String] {
    wrapped(app.isInUse == true ? AppPhrase.used : .unused, [.app: app.title])
  }

  /// Returns the text about a new key or token. The secret has its own line, so that a user can copy it.
  func made(_ secret: String, of app: String, isToken: Bool) -> [String] {
    wrapped(isToken ? AppPhrase.tokenMade : .keyMade, [.app: app]) + Columns.wrapped(secret, to: columns)
  }

  /// Returns the text about a new link to the web page. The link has its own line, so that a user can copy it.
  func page(_ link: String, seconds: Int) -> [String] {
    // The limit prevents an overflow, because the gateway can send any number.
    let minutes = (min(seconds, 1_000_000) + 59) / 60
    return Columns.wrapped(link, to: columns) + wrapped(PagePhrase.linkMade, [.count: "\(minutes)"])
  }

  func status(_ app: AppMessage) -> String { StatusPhrase(rawValue: app.shown).map { text($0) } ?? app.shown }

  /// Returns the authorization of an app. With a time limit, its end follows, as in `Always until 14:30`.
  func statusWithEnd(_ app: AppMessage) -> String {
    end(app).map { text(AppPhrase.endsAt, [.value: status(app), .time: $0]) } ?? status(app)
  }

  /// Returns the end of the authorization of an app; nil without a time limit.
  private func end(_ app: AppMessage) -> String? { app.until.map { end in UTCTime(iso8601: end).map(endTime) ?? end } }

  /// Returns the text about the authorization after the end of a time limit; nil without one.
  private func then(_ app: AppMessage) -> String? {
    app.then.map { word in text(AppPhrase.afterwards, [.value: StatusPhrase(rawValue: word).map { text($0) } ?? word]) }
  }

  func accuracy(_ word: String) -> String { AccuracyPhrase(rawValue: word).map { text($0) } ?? word }

  func now(_ app: AppMessage) -> String? {
    now(isInUse: app.isInUse, updates: app.updates, isArmed: app.armed, isNext: app.isNext)
  }

  func now(isInUse: Bool?, updates: String?, isArmed: Bool?, isNext: Bool? = nil) -> String? {
    let updates: AppPhrase? = updates.map { $0 == "background" ? .backgroundFixes : .fixes }
    let phrases =
      (isInUse == true ? [AppPhrase.inUse] : []) + (updates.map { [$0] } ?? [])
      + (isArmed == true ? [isNext == true ? .next : .waits] : [])
    return phrases.isEmpty ? nil : list(phrases.map { text($0) })
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

  /// Returns a distance in metres or kilometres, as in `250 m` and `1.5 km`.
  private static func metres(_ radius: Double) -> String {
    // The gateway can send a number that is too large for `Int`.
    guard radius.magnitude < 1e9 else { return "\(radius) m" }
    let whole = Int(radius.rounded())
    if whole < 1000 { return "\(whole) m" }
    let tenths = (whole + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) km" : "\(tenths / 10).\(tenths % 10) km"
  }

  /// Returns a time in UTC without seconds, as in `2026-11-21 07:31`.
  static func minute(_ time: UTCTime) -> String { String(Self.time(time.iso8601).prefix(16)) }

  /// Returns a time of the line protocol as in `2026-11-21 07:31:34`, without fractions of a second.
  static func time(_ iso8601: String) -> String { String(iso8601.prefix(19).map { $0 == "T" ? " " : $0 }) }
}
