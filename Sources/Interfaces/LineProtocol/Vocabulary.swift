/// The verbs (first words of commands) that apps may use. `OwnerCommand.Verb` has the verbs for owners only.
enum Verb: String, CaseIterable {
  case hello = "HELLO", auth = "AUTH", sub = "SUB", unsub = "UNSUB", req = "REQ", cancel = "CANCEL", start = "START"
  case stop = "STOP", authorize = "AUTHORIZE", state = "STATE", region = "REGION", ack = "ACK", status = "STATUS"
  case ping = "PING", help = "HELP", bye = "BYE"

  static let all = allCases

  /// The verbs that both apps and owners may use.
  static let common: [Verb] = [.hello, .sub, .unsub, .status, .ping, .help, .bye]
}

extension Command {
  /// Returns the verbs that a client may use: an owner if `forOwners` is true, otherwise an app.
  public static func verbs(forOwners: Bool) -> [String] {
    (forOwners ? Verb.common : Verb.all).map(\.rawValue) + (forOwners ? OwnerCommand.Verb.all.map(\.rawValue) : [])
  }

  /// Whether only owners may use this verb. The verb must be in upper case.
  public static func isOwners(verb: String) -> Bool { OwnerCommand.Verb(rawValue: verb) != nil }
}

enum Key: String, CaseIterable {
  case app, keepalive, session, nonce, crc, token, hmac, accuracy, maximumAge = "max-age", timeout, press, purpose
  case interval, distance, background, since, after, limit, milliseconds = "ms", button
  case language, surface, frame, prompt, duration = "for"

  static let all = allCases
}
