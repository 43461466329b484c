/// The verbs (first words of commands) that apps may use. `OwnerCommand.Verb` has the verbs that only owners
/// (administrators) may use.
enum Verb: String, CaseIterable {
  case hello = "HELLO", auth = "AUTH", sub = "SUB", unsub = "UNSUB", req = "REQ", cancel = "CANCEL", start = "START"
  case stop = "STOP", authorize = "AUTHORIZE", state = "STATE", region = "REGION", ack = "ACK", status = "STATUS"
  case ping = "PING", help = "HELP", bye = "BYE"

  static let all = allCases

  /// The verbs (first words of commands) that apps and owners (administrators) may use.
  static let common: [Verb] = [.hello, .sub, .unsub, .status, .ping, .help, .bye]
}

extension Command {
  /// Returns the verbs (first words of commands) that an owner (administrator) or an app may use.
  /// - Parameter forOwners: True for the verbs of an owner, false for the verbs of an app.
  public static func verbs(forOwners: Bool) -> [String] {
    (forOwners ? Verb.common : Verb.all).map(\.rawValue) + (forOwners ? OwnerCommand.Verb.all.map(\.rawValue) : [])
  }

  /// Whether only owners (administrators of the gateway) may use this verb, given in upper case.
  public static func isOwners(verb: String) -> Bool { OwnerCommand.Verb(rawValue: verb) != nil }
}

enum Key: String, CaseIterable {
  case app, keepalive, session, nonce, crc, token, hmac, accuracy, maximumAge = "max-age", timeout, press, purpose
  case interval, distance, background, since, after, limit, milliseconds = "ms", button
  case language, surface, frame, prompt, duration = "for"

  static let all = allCases
}
