import Base

extension TaggedCommand {
  /// Parses a protocol line of a client, without its line end. Verbs are case-insensitive, and unknown keys are
  /// ignored. The error of a rejected line has the code 400, 403, 404 or 405.
  public init(parsing line: Span<UInt8>) throws(RejectedLine) {
    guard let hasControls = Words.hasControls(line) else {
      throw RejectedLine(tag: nil, error: LineError(.badLine, "a line must be UTF-8 text"))
    }
    var words = Words(line)
    var tag: String?
    if let first = words.peek, words.first(first) == UInt8(ascii: "@") {
      guard words.isToken(first.dropFirst()) else {
        throw RejectedLine(
          tag: nil,
          error: LineError(.badArgument, "a tag must be @ and 1 to 32 letters, digits, dots, dashes or underscores"))
      }
      tag = words.tag()
    }
    if hasControls {
      throw RejectedLine(tag: tag, error: LineError(.badLine, "a line must not contain control characters"))
    }
    do throws(LineError) {
      self.init(try Command(parsing: &words), tag: tag)
    } catch {
      throw RejectedLine(tag: tag, error: error)
    }
  }

  /// Parses a protocol line of a client, without its line end. The error of a rejected line has the code 400, 403, 404
  /// or 405.
  public init(parsing line: String) throws(RejectedLine) {
    try self.init(parsing: line.utf8Span.span)
  }

  /// Returns the tag at the beginning of a protocol line without parsing the rest; nil if the line has no valid tag.
  public static func tag(of line: Span<UInt8>) -> String? {
    var words = Words(line)
    guard let first = words.peek, words.first(first) == UInt8(ascii: "@"), words.isToken(first.dropFirst()) else {
      return nil
    }
    return words.tag()
  }
}

extension Command {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    guard let word = words.next() else { throw LineError(.badLine, "the line has no verb (HELP lists the verbs)") }
    if let verb = words.choice(word, of: OwnerCommand.Verb.all) {
      self = .owner(try OwnerCommand(verb, parsing: &words))
      return
    }
    guard let verb = words.choice(word, of: Verb.all) else {
      throw LineError(.unknownVerb, "unknown verb \(words.shown(word)) (HELP lists the verbs)")
    }
    switch verb {
    case .hello: self = .hello(try Hello(parsing: &words))
    case .auth: self = .authenticate(try Credential(parsing: &words))
    case .sub:
      let filter = try TopicFilter(words.text(try words.argument("a topic filter")))
      let sid = try words.token("a subscription id")
      self = .subscribe(filter, sid: sid, qos: try words.optionalNumber("qos", in: 0...1))
    case .unsub:
      let sid = try words.token("a subscription id")
      self = .unsubscribe(sid: sid, after: try words.optionalNumber("max", in: 1...1_000_000))
    case .req:
      guard try words.says("once") else {
        throw LineError(.badArgument, "'REQ' must be followed by 'once'")
      }
      self = .requestOnce(try OnceRequest(parsing: &words))
    case .cancel: self = .cancel
    case .start: self = .startUpdates(try UpdatesRequest(parsing: &words))
    case .stop:
      guard try words.says("updates") else {
        throw LineError(.badArgument, "'STOP' must be followed by 'updates'")
      }
      self = .stopUpdates
    case .authorize: self = try Command(parsingAuthorize: &words)
    case .state:
      let state = try words.argument("foreground or background")
      let isInBackground = words.matches(state, "background")
      guard isInBackground || words.matches(state, "foreground") else {
        throw LineError(.badArgument, "'STATE' must be followed by 'foreground' or 'background'")
      }
      self = .state(isInBackground: isInBackground)
    case .region: self = .region(try RegionCommand(parsing: &words))
    case .ack: self = .acknowledge(try words.number("a message id", in: 1...Int.max))
    case .status: self = .status
    case .ping: self = .ping
    case .help: self = .help
    case .bye: self = .bye
    }
  }
}

extension Hello {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    self.init(versions: [], app: nil)
    // The protocol versions are the first argument of HELLO, for example `1` or `1,2`.
    if let first = words.peek, !first.contains(where: { words.byte($0) == UInt8(ascii: "=") }) {
      words.skip()
      for part in first.split(whereSeparator: { words.byte($0) == UInt8(ascii: ",") }) {
        versions.append(try words.number(part, "a version", in: 1...1000))
      }
    }
    while let (key, value) = words.pair() {
      switch key {
      case .app: app = words.text(value)
      case .keepalive: keepalive = try words.number(value, "keepalive", in: 0...86_400)
      case .session: session = words.text(value)
      case .nonce:
        guard words.isHex(value, digits: 32) else {
          throw LineError(.badArgument, "nonce must be 32 hexadecimal digits, new for each connection")
        }
        nonce = words.text(value)
      case .crc: usesCRC = true
      default: break
      }
    }
  }
}

extension Credential {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    var credential: Credential?
    while let (key, value) = words.pair() {
      switch key {
      case .token:
        guard !value.isEmpty else { throw LineError(.badArgument, "token must not be empty") }
        credential = .token(words.text(value))
      case .hmac:
        guard words.isHex(value, digits: 64) else {
          throw LineError(.badArgument, "hmac must be the 64 hexadecimal digits of an HMAC-SHA-256")
        }
        credential = .hmac(words.text(value))
      default: break
      }
    }
    guard let credential else {
      throw LineError(.badArgument, "'AUTH' must be followed by hmac=HEX, or over TLS by token=TEXT")
    }
    self = credential
  }
}

extension OnceRequest {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    self.init()
    while let (key, value) = words.pair(restOf: .purpose) {
      switch key {
      case .accuracy: accuracy = try words.accuracy(value)
      case .maximumAge: maximumAge = try words.number(value, "max-age", in: 0...60_000)
      case .timeout: timeout = try words.number(value, "timeout", in: 1...3600)
      case .press:
        guard words.text(value) == "required" else {
          throw LineError(.badArgument, "the value of press must be: required")
        }
        requiresPress = true
      case .purpose: purpose = try Purpose.checked(words.text(value))
      default: break
      }
    }
  }
}

extension Words {
  /// Reads the next word of a command. Returns whether the word equals `word`, without regard to case.
  @_lifetime(self: copy self)
  fileprivate mutating func says(_ word: String) throws(LineError) -> Bool {
    matches(try argument(word), word)
  }

  /// Reads the next word as the id of an app.
  @_lifetime(self: copy self)
  mutating func app() throws(LineError) -> String { text(try argument("an app")) }

  /// Returns at most 20 Unicode scalars of a word, for an error message. The limit is not a count of characters,
  /// because one character can have any number of scalars.
  fileprivate func shown(_ word: Word) -> String {
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: text(word).unicodeScalars.prefix(20))
    return String(shown)
  }

  func accuracy(_ word: Word) throws(LineError) -> FixAccuracy {
    guard let accuracy = choice(word, of: FixAccuracy.allCases) else {
      throw LineError(.badArgument, "accuracy must be full, reduced or place")
    }
    return accuracy
  }

  func time(_ word: Word) throws(LineError) -> UTCTime {
    guard let time = UTCTime(iso8601: text(word)) else {
      throw LineError(.badArgument, "since must be a UTC time, as in 2026-11-21T07:31:34Z")
    }
    return time.cutToMilliseconds
  }
}

extension UpdatesRequest {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    guard try words.says("updates") else {
      throw LineError(.badArgument, "'START' must be followed by 'updates'")
    }
    self.init()
    while let (key, value) = words.pair() {
      switch key {
      case .interval: interval = try words.number(value, "interval", in: 0...86_400_000)
      case .distance: distance = try words.number(value, "distance", in: 0...1_000_000)
      case .background: isBackground = true
      default: break
      }
    }
  }
}

extension Command {
  fileprivate init(parsingAuthorize words: inout Words) throws(LineError) {
    guard let requested = words.choice(try words.argument("the authorization"), of: RequestedAuthorization.allCases)
    else {
      throw LineError(.badArgument, "'AUTHORIZE' must be followed by 'when-in-use', 'always' or 'full-accuracy'")
    }
    var purpose: String?
    while let (key, value) = words.pair(restOf: .purpose) {
      if key == .purpose { purpose = try Purpose.checked(words.text(value)) }
    }
    if requested == .fullAccuracy, purpose?.isEmpty ?? true {
      throw LineError(.badArgument, "AUTHORIZE full-accuracy needs a purpose: purpose=TEXT")
    }
    self = .authorize(requested, purpose: purpose)
  }
}

extension AppSetting {
  init(parsing words: inout Words) throws(LineError) {
    let setting = try words.argument("status or accuracy")
    if words.matches(setting, "status") {
      guard let status = words.choice(try words.argument("a status"), of: AuthorizationStatus.settable) else {
        let values = AuthorizationStatus.settable.map(\.rawValue).joined(separator: ", ")
        throw LineError(
          .badArgument, "the status must be one of: \(values) (only the configuration can set restricted)")
      }
      self = .status(status, for: try Self.duration(of: status, &words))
    } else if words.matches(setting, "accuracy") {
      self = .accuracy(try words.accuracy(try words.argument("an accuracy")))
      _ = try Self.duration(of: nil, &words)
    } else {
      throw LineError(.badArgument, "'SET APP' must be followed by 'status' or 'accuracy'")
    }
  }

  /// Reads the optional argument `for`, the duration of an authorization. Returns nil if the argument is missing, so
  /// that the authorization has no end.
  /// - Parameter status: The status that the command sets; nil if it sets no status.
  private static func duration(of status: AuthorizationStatus?, _ words: inout Words) throws(LineError) -> Duration? {
    var duration: Duration?
    while let (key, value) = words.pair() {
      guard key == .duration else { continue }
      guard status == .whenInUse || status == .always else {
        throw LineError(.badArgument, "only the statuses whenInUse and always can have an end (leave out for=)")
      }
      duration = .seconds(try words.number(value, "for", in: TypedDuration.secondsRange))
    }
    return duration
  }
}
