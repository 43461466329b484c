import Clocks

extension TaggedCommand {
  /// Reads a client's line, without its line end. Verbs are case-insensitive, unknown keys are ignored.
  /// - Throws: `RejectedLine` with 400, 403, 404 or 405.
  public init(parsing line: String) throws(RejectedLine) {
    var words = Words(line)
    var tag: String?
    if let first = words.peek, first.utf8.first == UInt8(ascii: "@") {
      words.skip()
      guard Words.isToken(first.dropFirst(), longest: 32) else {
        throw RejectedLine(
          tag: nil, error: LineError(.badArgument, "a tag is @ and 1 to 32 letters, digits, dots, dashes, underscores"))
      }
      tag = String(first)
    }
    do throws(LineError) {
      self.init(try Command(parsing: &words, of: line), tag: tag)
    } catch {
      throw RejectedLine(tag: tag, error: error)
    }
  }
}

extension Command {
  fileprivate init(parsing words: inout Words, of line: String) throws(LineError) {
    if line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw LineError(.badLine, "a line has no control characters")
    }
    guard let verb = words.next() else { throw LineError(.badLine, "a line begins with a verb; HELP lists them") }
    switch verb.uppercased() {
    case "HELLO": self = .hello(try Hello(parsing: &words))
    case "AUTH": self = .authenticate(try Credential(parsing: &words))
    case "SUB":
      let filter = try TopicFilter(try words.argument("a topic filter"))
      let sid = try words.token("a subscription id")
      self = .subscribe(filter, sid: sid, qos: try words.optionalNumber("qos", in: 0...1))
    case "UNSUB":
      let sid = try words.token("a subscription id")
      self = .unsubscribe(sid: sid, after: try words.optionalNumber("max", in: 1...1_000_000))
    case "REQ":
      guard try words.argument("once").lowercased() == "once" else {
        throw LineError(.badArgument, "REQ asks for: once")
      }
      self = .requestOnce(try OnceRequest(parsing: &words))
    case "CANCEL": self = .cancel
    case "START": self = .startUpdates(try UpdatesRequest(parsing: &words))
    case "STOP":
      guard try words.argument("updates").lowercased() == "updates" else {
        throw LineError(.badArgument, "STOP ends: updates")
      }
      self = .stopUpdates
    case "AUTHORIZE": self = try Command(parsingAuthorize: &words)
    case "STATE":
      switch try words.argument("foreground or background").lowercased() {
      case "foreground": self = .state(isInBackground: false)
      case "background": self = .state(isInBackground: true)
      default: throw LineError(.badArgument, "STATE is foreground or background")
      }
    case "REGION": self = .region(try RegionCommand(parsing: &words))
    case "ACK": self = .acknowledge(try words.number("a message id", in: 1...Int.max))
    case "STATUS": self = .status
    case "PING": self = .ping
    case "HELP": self = .help
    case "BYE": self = .bye
    case "APPS": self = .owner(.apps)
    case "PROMPTS": self = .owner(.prompts)
    case "LOG": self = .owner(try OwnerCommand(parsingLog: &words))
    case "VERIFY": self = .owner(.verify)
    case "COUNTS":
      var since: UTCTime?
      while let (key, value) = words.pair() { if key == "since" { since = try OwnerCommand.time(since: value) } }
      self = .owner(.counts(since: since))
    case "ANSWER":
      let prompt = try words.number("a prompt's number", in: 1...Int.max)
      guard let choice = PromptChoice(rawValue: try words.argument("an answer").lowercased()) else {
        let choices = PromptChoice.allCases.map(\.rawValue).joined(separator: ", ")
        throw LineError(.badArgument, "a prompt is answered by one of: \(choices)")
      }
      var accuracy: FixAccuracy?
      while let (key, value) = words.pair() { if key == "accuracy" { accuracy = try FixAccuracy(parsing: value) } }
      self = .owner(.answer(prompt: prompt, choice, accuracy: accuracy))
    case "SET":
      let app = String(try words.argument("an app"))
      self = .owner(.set(app: app, try AppSetting(parsing: &words)))
    case "USE": self = .owner(.use(app: String(try words.argument("an app"))))
    case "RESET": self = .owner(.reset(app: String(try words.argument("an app"))))
    case "KEY":
      let verb = try words.argument("ADD or REVOKE").uppercased()
      guard verb == "ADD" || verb == "REVOKE" else { throw LineError(.badArgument, "KEY is followed by ADD or REVOKE") }
      let app = String(try words.argument("an app"))
      let isToken = words.peek?.lowercased() == "token"
      self = .owner(verb == "ADD" ? .addKey(app: app, isToken: isToken) : .revokeKey(app: app))
    case "RELOAD": self = .owner(.reload)
    case "LOCK": self = .owner(.lock)
    case "REGIONS":
      var app: String?
      while let (key, value) = words.pair() { if key == "app" { app = value } }
      self = .owner(.regions(app: app))
    case "PRESS":
      var (milliseconds, button): (Int?, String?)
      while let (key, value) = words.pair() {
        switch key {
        case "ms": milliseconds = try Words.number(value, "ms", in: 1...60_000)
        case "button": button = value
        default: break
        }
      }
      self = .owner(.press(milliseconds: milliseconds, button: button))
    case "HOLD":
      var button: String?
      while let (key, value) = words.pair() { if key == "button" { button = value } }
      self = .owner(.hold(button: button))
    default:
      throw LineError(.unknownVerb, "\(verb.prefix(20)) is no verb; HELP lists them")
    }
  }
}

extension Hello {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    self.init(versions: [], app: nil)
    // Versions come first: `1`, or `1,2`.
    if let first = words.peek, !first.contains("=") {
      words.skip()
      for part in first.split(separator: ",") { versions.append(try Words.number(part, "a version", in: 1...1000)) }
    }
    while let (key, value) = words.pair() {
      switch key {
      case "app": app = value
      case "keepalive": keepalive = try Words.number(value, "keepalive", in: 0...86_400)
      case "session": session = value
      case "nonce":
        guard Words.isHex(value, digits: 32) else {
          throw LineError(.badArgument, "nonce is 32 hexadecimal digits, new for each connection")
        }
        nonce = value
      case "crc": usesCRC = true
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
      case "token":
        guard !value.isEmpty else { throw LineError(.badArgument, "token is empty") }
        credential = .token(value)
      case "hmac":
        guard Words.isHex(value, digits: 64) else {
          throw LineError(.badArgument, "hmac is 64 hexadecimal digits: an HMAC-SHA-256")
        }
        credential = .hmac(value)
      default: break
      }
    }
    guard let credential else {
      throw LineError(.badArgument, "AUTH is followed by hmac=HEX, or by token=TEXT over TLS")
    }
    self = credential
  }
}

extension OnceRequest {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    self.init()
    while let (key, value) = words.pair(restOf: "purpose") {
      switch key {
      case "accuracy":
        accuracy = try FixAccuracy(parsing: value)
      case "max-age": maximumAge = try Words.number(value, "max-age", in: 0...60_000)
      case "timeout": timeout = try Words.number(value, "timeout", in: 1...3600)
      case "press":
        guard value == "required" else { throw LineError(.badArgument, "press can only be: required") }
        requiresPress = true
      case "purpose": purpose = try Purpose.checked(value)
      default: break
      }
    }
  }
}

extension FixAccuracy {
  fileprivate init(parsing value: some StringProtocol) throws(LineError) {
    guard let accuracy = FixAccuracy(rawValue: value.lowercased()) else {
      throw LineError(.badArgument, "accuracy is full or reduced")
    }
    self = accuracy
  }
}

extension UpdatesRequest {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    guard try words.argument("updates").lowercased() == "updates" else {
      throw LineError(.badArgument, "START begins: updates")
    }
    self.init()
    while let (key, value) = words.pair() {
      switch key {
      case "interval": interval = try Words.number(value, "interval", in: 0...86_400_000)
      case "distance": distance = try Words.number(value, "distance", in: 0...1_000_000)
      case "background": isBackground = true
      default: break
      }
    }
  }
}

extension Command {
  fileprivate init(parsingAuthorize words: inout Words) throws(LineError) {
    guard let wish = AuthorizationWish(rawValue: try words.argument("what to ask for").lowercased()) else {
      throw LineError(.badArgument, "AUTHORIZE asks for when-in-use, always or full-accuracy")
    }
    var purpose: String?
    while let (key, value) = words.pair(restOf: "purpose") {
      if key == "purpose" { purpose = try Purpose.checked(value) }
    }
    if wish == .fullAccuracy, purpose == nil {
      throw LineError(.badArgument, "AUTHORIZE full-accuracy says what for: purpose=TEXT")
    }
    self = .authorize(wish, purpose: purpose)
  }
}

extension AppSetting {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    switch try words.argument("status or accuracy").lowercased() {
    case "status":
      let word = try words.argument("a status").lowercased()
      guard let status = StandingStatus.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
        let values = StandingStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw LineError(.badArgument, "a status is one of: \(values); restricted is the configuration's alone")
      }
      self = .status(status)
    case "accuracy": self = .accuracy(try FixAccuracy(parsing: try words.argument("an accuracy")))
    default: throw LineError(.badArgument, "SET changes an app's status or accuracy")
    }
  }
}

extension OwnerCommand {
  fileprivate init(parsingLog words: inout Words) throws(LineError) {
    var (since, app, limit, after): (UTCTime?, String?, Int?, Int?)
    while let (key, value) = words.pair() {
      switch key {
      case "since": since = try OwnerCommand.time(since: value)
      case "after": after = try Words.number(value, "after", in: 0...Int.max)
      case "app": app = value
      case "limit": limit = try Words.number(value, "limit", in: 1...1_000_000)
      default: break
      }
    }
    self = .log(since: since, app: app, limit: limit, after: after)
  }

  fileprivate static func time(since text: String) throws(LineError) -> UTCTime {
    guard let time = UTCTime(iso8601: text) else {
      throw LineError(.badArgument, "since is a UTC time such as 2026-11-21T07:31:34Z")
    }
    return time
  }
}
