/// The verbs of the line protocol.
enum Verb: String, CaseIterable {
  case hello = "HELLO"
  case auth = "AUTH"
  case sub = "SUB"
  case unsub = "UNSUB"
  case req = "REQ"
  case cancel = "CANCEL"
  case start = "START"
  case stop = "STOP"
  case authorize = "AUTHORIZE"
  case state = "STATE"
  case region = "REGION"
  case ack = "ACK"
  case status = "STATUS"
  case ping = "PING"
  case help = "HELP"
  case bye = "BYE"
  case apps = "APPS"
  case prompts = "PROMPTS"
  case log = "LOG"
  case verify = "VERIFY"
  case counts = "COUNTS"
  case answer = "ANSWER"
  case set = "SET"
  case use = "USE"
  case reset = "RESET"
  case key = "KEY"
  case reload = "RELOAD"
  case page = "PAGE"
  case lock = "LOCK"
  case regions = "REGIONS"
  case sessions = "SESSIONS"
  case sky = "SKY"
  case metrics = "METRICS"
  case press = "PRESS"
  case hold = "HOLD"

  static let all = allCases

  var isOwners: Bool {
    switch self {
    case .hello, .auth, .sub, .unsub, .req, .cancel, .start, .stop, .authorize, .state, .region, .ack, .status, .ping,
      .help, .bye:
      false
    case .apps, .prompts, .log, .verify, .counts, .answer, .set, .use, .reset, .key, .reload, .page, .lock, .regions,
      .sessions, .sky, .metrics, .press, .hold:
      true
    }
  }
}

extension Command {
  /// Whether only owners may use a verb, whatever its arguments are. The verb must be in upper case.
  public static func isOwners(verb: String) -> Bool { Verb(rawValue: verb)?.isOwners ?? false }
}

enum Key: String, CaseIterable {
  case app
  case keepalive
  case session
  case nonce
  case crc
  case token
  case hmac
  case accuracy
  case maximumAge = "max-age"
  case timeout
  case press
  case purpose
  case interval
  case distance
  case background
  case since
  case after
  case limit
  case milliseconds = "ms"
  case button

  static let all = allCases
}
