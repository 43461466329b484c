/// The refusals of the line protocol. Their numbers are the contract; those from 900 close the connection.
public enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
  /// It cannot be read.
  case badLine = 400
  /// Its checksum is wrong, or missing where `crc` was agreed.
  case badCRC = 401
  /// It has more than `maxline` bytes.
  case lineTooLong = 402
  /// There is no such verb.
  case unknownVerb = 403
  /// There is no such topic, or the filter is none.
  case badTopic = 404
  /// An argument is missing, out of its range, or not understood.
  case badArgument = 405
  /// Nobody was asked yet.
  case notDetermined = 410
  /// The person said no.
  case denied = 411
  /// The owner's configuration forbids it.
  case restricted = 412
  /// The app may know in use only, and is not.
  case notInUse = 413
  /// The kill switch is on.
  case locked = 414
  /// Nobody pressed before the timeout.
  case noPress = 420
  /// The app waits for a press, or has updates, already.
  case alreadyArmed = 421
  /// What the app may know was changed meanwhile.
  case expired = 422
  /// Asked too often; `retry-after` says for how many seconds to wait.
  case rateLimited = 430
  /// Too many subscriptions, regions or connections.
  case tooMany = 431
  /// Only an owner may say that, on the owners' socket.
  case notOwner = 432
  /// The gateway failed; its log says why.
  case `internal` = 500
  /// The receiver could not get one in time.
  case noFix = 510
  /// The receiver is not there.
  case receiverAbsent = 511
  /// Withheld: the light cannot be shown.
  case indicator = 512
  /// Withheld: the log cannot be written.
  case store = 513
  /// Something else came before HELLO, or before its proof.
  case authRequired = 900
  /// HELLO or its proof did not come in time.
  case authTimeout = 901
  /// The client is not the app that it says.
  case authFailed = 902
  /// The gateway speaks none of the client's versions.
  case protoMismatch = 903
  /// The client did not read for too long.
  case slowConsumer = 904
  /// The client was silent for too long.
  case keepaliveTimeout = 905
  /// The gateway is being stopped.
  case shuttingDown = 906

  /// The word that follows the number on the wire.
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
    case .authRequired: "auth-required"
    case .authTimeout: "auth-timeout"
    case .authFailed: "auth-failed"
    case .protoMismatch: "proto-mismatch"
    case .slowConsumer: "slow-consumer"
    case .keepaliveTimeout: "keepalive-timeout"
    case .shuttingDown: "shutting-down"
    }
  }

  /// Whether the gateway closes the connection after it; a serial port's session ends instead.
  public var closes: Bool { rawValue >= 900 }
}

/// Why a line was not taken: the code on the wire and a sentence for people, with a remedy where one is known.
public struct LineError: Error, Hashable, Sendable {
  /// The number, and with it the word, on the wire.
  public let code: ErrorCode
  /// A sentence for people, in lower case and without a period.
  public let text: String

  /// A refusal with its sentence.
  public init(_ code: ErrorCode, _ text: String) {
    self.code = code
    self.text = text
  }
}
