/// An error code of the line protocol. The codes never change. After an error with a code of 900 or more, the gateway
/// closes the connection.
public enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
  /// The protocol line cannot be parsed.
  case badLine = 400
  /// The checksum of a protocol line is wrong, or the checksum is missing although client and gateway agreed on
  /// checksums.
  case badCRC = 401
  /// The protocol line has more bytes than the gateway accepts (`maxline` in the gateway's first line).
  case lineTooLong = 402
  /// The verb (the first word of the command) is unknown.
  case unknownVerb = 403
  /// The topic is unknown, or the topic filter (a pattern of topics) is invalid.
  case badTopic = 404
  /// An argument of the command is missing, out of range or invalid.
  case badArgument = 405
  /// No user has decided yet whether the app may get the location.
  case notDetermined = 410
  /// A user denied the app the location.
  case denied = 411
  /// The gateway's configuration forbids the app the location.
  case restricted = 412
  /// The app may get the location only while the app is in use, and the app is not in use now.
  case notInUse = 413
  /// The kill switch of the gateway is active, so no app gets the location.
  case locked = 414
  /// Before the timeout, no user pressed the button or answered the prompt (the question to the user).
  case noPress = 420
  /// The app already has an open request for one fix, or already receives updates (repeated fixes).
  case alreadyArmed = 421
  /// The request has ended, or the message or prompt (question to the user) no longer exists. A request ends if the
  /// authorization of the app changes, or if another session of the app makes a request.
  case expired = 422
  /// The app sent too many requests. The field `retry-after` is the time to wait in seconds.
  case rateLimited = 430
  /// A limit is reached: of subscriptions, sessions, connections, regions (circles on the ground), places (named
  /// circles on the ground), or fixes that wait for an MQTT broker.
  case tooMany = 431
  /// Only an owner (an administrator of the gateway) may send the command, on the Unix socket for owners.
  case notOwner = 432
  /// The gateway could not execute the command. The log of the gateway contains the cause.
  case `internal` = 500
  /// The GNSS receiver had no fix before the timeout.
  case noFix = 510
  /// The GNSS receiver is not connected.
  case receiverAbsent = 511
  /// The gateway withholds the fix, because the user cannot see the indicator (LED).
  case indicator = 512
  /// The gateway withholds the fix or refuses the change, because the gateway cannot write its log or its database.
  case store = 513
  /// A change by an owner (administrator) has taken effect, but the gateway cannot save the change.
  case notSaved = 514
  /// The client sent a command before HELLO, or before the end of the authentication.
  case authRequired = 900
  /// The client did not authenticate within the time limit.
  case authTimeout = 901
  /// The client may not act as the app whose id the client sent.
  case authFailed = 902
  /// The gateway supports none of the client's protocol versions.
  case protoMismatch = 903
  /// The client did not read the lines of the gateway in time.
  case slowConsumer = 904
  /// The client sent no line before the keepalive timeout, or another connection resumed its session.
  case keepaliveTimeout = 905
  /// The gateway is stopping.
  case shuttingDown = 906

  /// The name of the code in the line protocol, for example `no-press`. In an error line, the name follows the number.
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

  /// Whether the gateway closes the connection after this error. On a serial port, which cannot close, the gateway ends
  /// the session instead.
  public var closes: Bool { rawValue >= 900 }
}

/// An error reply: the code and a message for users, which contains a remedy if one is known.
public struct LineError: Error, Hashable, Sendable {
  /// The error code. With a code of 900 or more, the gateway closes the connection after the reply.
  public let code: ErrorCode
  /// A message for users, in lower case and without a period.
  public let text: String

  /// Creates an error with a code and a message for users, in lower case and without a period.
  public init(_ code: ErrorCode, _ text: String) {
    self.code = code
    self.text = text
  }
}
