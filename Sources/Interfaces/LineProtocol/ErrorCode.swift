/// The error codes of the line protocol. The numbers never change. After an error with a code of 900 or more, the
/// gateway closes the connection.
public enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
  /// The line cannot be parsed.
  case badLine = 400
  /// The checksum is wrong, or a necessary checksum is missing.
  case badCRC = 401
  /// The line has more than `maxline` bytes.
  case lineTooLong = 402
  /// The verb is unknown.
  case unknownVerb = 403
  /// The topic is unknown, or the topic filter is invalid.
  case badTopic = 404
  /// An argument is missing, out of range or invalid.
  case badArgument = 405
  /// The user has not decided yet whether the app may get the location.
  case notDetermined = 410
  /// The user denied the authorization.
  case denied = 411
  /// The owner's configuration forbids the access.
  case restricted = 412
  /// The app may get the location only while it is in use, and it is not in use now.
  case notInUse = 413
  /// The kill switch is active.
  case locked = 414
  /// The button was not pressed, or a prompt was not answered, before the timeout.
  case noPress = 420
  /// The app already has an open request, or already receives updates.
  case alreadyArmed = 421
  /// The authorization of the app changed, another session of the app made a new request, or the message or prompt no
  /// longer exists.
  case expired = 422
  /// The app sent too many requests. The field `retry-after` is the time to wait in seconds.
  case rateLimited = 430
  /// There are too many subscriptions, regions, places, sessions, connections, or fixes that wait for a broker.
  case tooMany = 431
  /// The command is only for owners, on the owners' socket.
  case notOwner = 432
  /// The gateway failed. Its log contains the cause.
  case `internal` = 500
  /// The receiver had no fix before the timeout.
  case noFix = 510
  /// The receiver is absent.
  case receiverAbsent = 511
  /// The gateway withholds the fix because the user cannot see the indicator.
  case indicator = 512
  /// The gateway withholds the fix or refuses the change because it cannot write the log or the state.
  case store = 513
  /// The change of an owner is in force, but the gateway cannot save it.
  case notSaved = 514
  /// The client sent a command before it sent HELLO, or before it had authenticated.
  case authRequired = 900
  /// The client did not authenticate in time.
  case authTimeout = 901
  /// The client is not the app that it claims to be.
  case authFailed = 902
  /// The gateway supports none of the client's protocol versions.
  case protoMismatch = 903
  /// The client did not read the lines of the gateway in time.
  case slowConsumer = 904
  /// The client sent no line before the keepalive timeout, or another connection resumed its session.
  case keepaliveTimeout = 905
  /// The gateway is stopping.
  case shuttingDown = 906

  /// The name of the code, for example `no-press`. In an error line, the name follows the number.
  public var slug: String {
    switch self {
    case .badLine: "bad-line"
    case .badCRC: "bad-crc"
    case .lineTooLong: "line-too-long"
    case .unknownVerb: "unknown-verb"
    case .badTopic: "bad-topic"
    case .badArgument: "bad-argument"
    case .notDetermined: "not-determined"
    case .denied: "denied"
    case .restricted: "restricted"
    case .notInUse: "not-in-use"
    case .locked: "locked"
    case .noPress: "no-press"
    case .alreadyArmed: "already-armed"
    case .expired: "expired"
    case .rateLimited: "rate-limited"
    case .tooMany: "too-many"
    case .notOwner: "not-owner"
    case .internal: "internal"
    case .noFix: "no-fix"
    case .receiverAbsent: "receiver-absent"
    case .indicator: "indicator"
    case .store: "store"
    case .notSaved: "not-saved"
    case .authRequired: "auth-required"
    case .authTimeout: "auth-timeout"
    case .authFailed: "auth-failed"
    case .protoMismatch: "proto-mismatch"
    case .slowConsumer: "slow-consumer"
    case .keepaliveTimeout: "keepalive-timeout"
    case .shuttingDown: "shutting-down"
    }
  }

  /// Whether the gateway closes the connection after this error. On a serial port, it ends the session instead.
  public var closes: Bool { rawValue >= 900 }
}

/// An error reply: the code and a message for users, with a remedy if a remedy is known.
public struct LineError: Error, Hashable, Sendable {
  /// The code.
  public let code: ErrorCode
  /// A message for users, in lower case and without a period.
  public let text: String

  /// Creates an error with a code and a message.
  public init(_ code: ErrorCode, _ text: String) {
    self.code = code
    self.text = text
  }
}
