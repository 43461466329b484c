/// The verbs that apps may use. `OwnerCommand` has the verbs for owners only.
enum Verb: String, CaseIterable {
  case hello = "HELLO", auth = "AUTH", sub = "SUB", unsub = "UNSUB", req = "REQ", cancel = "CANCEL", start = "START"
  case stop = "STOP", authorize = "AUTHORIZE", state = "STATE", region = "REGION", ack = "ACK", status = "STATUS"
  case ping = "PING", help = "HELP", bye = "BYE"

  static let all = allCases

  /// The verbs that owners may use, too.
  static let common: [Verb] = [.hello, .sub, .unsub, .status, .ping, .help, .bye]
}

extension Command {
  /// Returns the verbs that owners may use, or those that apps may use.
  public static func verbs(forOwners: Bool) -> [String] {
    (forOwners ? Verb.common : Verb.all).map(\.rawValue) + (forOwners ? OwnerCommand.Verb.all.map(\.rawValue) : [])
  }

  /// Whether only owners may use a verb, whatever its arguments are. The verb must be in upper case.
  public static func isOwners(verb: String) -> Bool { OwnerCommand.Verb(rawValue: verb) != nil }
}

enum Key: String, CaseIterable {
  case app, keepalive, session, nonce, crc, token, hmac, accuracy, maximumAge = "max-age", timeout, press, purpose
  case interval, distance, background, since, after, limit, milliseconds = "ms", button
  case language, surface, frame, prompt, duration = "for"

  static let all = allCases
}
