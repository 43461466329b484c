/// The verbs of the line protocol.
enum Verb: String, CaseIterable {
  case hello = "HELLO", auth = "AUTH", sub = "SUB", unsub = "UNSUB", req = "REQ", cancel = "CANCEL", start = "START"
  case stop = "STOP", authorize = "AUTHORIZE", state = "STATE", region = "REGION", ack = "ACK", status = "STATUS"
  case ping = "PING", help = "HELP", bye = "BYE"
  // Verbs that only owners may use.
  case apps = "APPS", prompts = "PROMPTS", log = "LOG", verify = "VERIFY", counts = "COUNTS", answer = "ANSWER"
  case set = "SET", use = "USE", reset = "RESET", key = "KEY", reload = "RELOAD", page = "PAGE", lock = "LOCK"
  case regions = "REGIONS", sessions = "SESSIONS", sky = "SKY", metrics = "METRICS", press = "PRESS", hold = "HOLD"
  case place = "PLACE"

  static let all = allCases

  /// A group of clients.
  enum Users {
    case apps, owners, all
  }

  /// The clients that may use the verb.
  var users: Users {
    switch self {
    case .auth, .req, .cancel, .start, .stop, .authorize, .state, .region, .ack: .apps
    case .hello, .sub, .unsub, .status, .ping, .help, .bye: .all
    case .apps, .prompts, .log, .verify, .counts, .answer, .set, .use, .reset, .key, .reload, .page, .lock, .regions,
      .sessions, .sky, .metrics, .press, .hold, .place:
      .owners
    }
  }
}

extension Command {
  /// Returns the verbs that owners may use, or those that apps may use.
  public static func verbs(forOwners: Bool) -> [String] {
    let others: Verb.Users = forOwners ? .apps : .owners
    return Verb.all.filter { $0.users != others }.map(\.rawValue)
  }

  /// Whether only owners may use a verb, whatever its arguments are. The verb must be in upper case.
  public static func isOwners(verb: String) -> Bool { Verb(rawValue: verb)?.users == .owners }
}

enum Key: String, CaseIterable {
  case app, keepalive, session, nonce, crc, token, hmac, accuracy, maximumAge = "max-age", timeout, press, purpose
  case interval, distance, background, since, after, limit, milliseconds = "ms", button
  case language, surface

  static let all = allCases
}
