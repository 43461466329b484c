/// The refusals of the line protocol. Their numbers are the contract; those from 900 close the connection.
public enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
  case badLine = 400
  case badCRC = 401
  case lineTooLong = 402
  case unknownVerb = 403
  case badTopic = 404
  case badArgument = 405
  case notDetermined = 410
  case denied = 411
  case restricted = 412
  case notInUse = 413
  case locked = 414
  case noPress = 420
  case alreadyArmed = 421
  case expired = 422
  case rateLimited = 430
  case tooMany = 431
  case notOwner = 432
  case `internal` = 500
  case noFix = 510
  case receiverAbsent = 511
  case indicator = 512
  case store = 513
  case authRequired = 900
  case authTimeout = 901
  case authFailed = 902
  case protoMismatch = 903
  case slowConsumer = 904
  case keepaliveTimeout = 905
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

  public var closes: Bool { rawValue >= 900 }
}

/// Why a line was not taken: the code on the wire and a sentence for people, with a remedy where one is known.
public struct LineError: Error, Hashable, Sendable {
  public let code: ErrorCode
  public let text: String

  public init(_ code: ErrorCode, _ text: String) {
    self.code = code
    self.text = text
  }
}
