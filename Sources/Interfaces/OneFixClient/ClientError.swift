public import LineProtocol

/// The reason why a call of a ``OneFixClient`` failed. <doc:Errors> describes how an app should react to each case.
///
/// If the gateway refused a command, the case contains the gateway's error with a message for users.
public enum ClientError: Error, Hashable, Sendable {
  /// No program listens at the endpoint, or this process may not open the endpoint. `remedy` is nil if no remedy is
  /// known, or if `cause` contains the remedy.
  case noGateway(endpoint: String, cause: String, remedy: String?)
  /// The program at the endpoint is not the gateway: its certificate is not trusted, or the program does not have the
  /// app's key.
  case untrusted(cause: String)
  /// The gateway does not accept this process as the app: the app is not configured, or the credential is wrong.
  case unauthenticated(LineError)
  /// The gateway supports no version of the protocol that this client supports.
  case incompatible(LineError)
  /// No user pressed the button before the timeout of the request.
  case noPress(LineError)
  /// A user has denied the app access to the location.
  case denied(LineError)
  /// The gateway's configuration forbids the app access to the location. Users cannot allow the access.
  case restricted(LineError)
  /// No user has decided yet whether the app may receive location.
  case notDetermined(LineError)
  /// The app may receive the location only while the app is in use, and the app is not in use.
  case notInUse(LineError)
  /// The kill switch of the gateway is on. The kill switch stops location for all apps.
  case locked(LineError)
  /// The app already has a pending request for one fix, or already receives updates (a stream of fixes).
  case alreadyAsking(LineError)
  /// The app sent too many requests, or no user answered a question about the app. `retryAfter` is the time to wait
  /// before the next request; nil if the time is unknown.
  case tooSoon(LineError, retryAfter: Duration?)
  /// The app has reached the maximum count of its subscriptions, regions (circles on the ground) or clients.
  case tooMany(LineError)
  /// The authorization of the app changed, or another client of the app replaced the request for one fix.
  case expired(LineError)
  /// The GNSS receiver is absent, or had no fix before the timeout of the request.
  case noFix(LineError)
  /// The gateway does not send a fix, because its indicator (status LED) is not visible or because the gateway cannot
  /// write its log.
  case withheld(LineError)
  /// The app sent a value that is not allowed, for example a text that is too long.
  case invalid(LineError)
  /// The gateway could not execute the command. The log of the gateway contains the cause.
  case gatewayFailed(LineError)
  /// The connection to the gateway was lost, so the result of the call is unknown.
  case connectionLost
  /// The gateway sent a protocol line that this client does not support, or did not read the client's commands. The
  /// value describes the problem.
  case unexpected(String)
  /// The task that called the client was cancelled.
  case cancelled
  /// The app closed this client with ``OneFixClient/close()``.
  case closed

  /// The error that the gateway sent when the gateway refused a command; nil for all other failures.
  public var refusal: LineError? {
    switch self {
    case .unauthenticated(let error), .incompatible(let error), .noPress(let error), .denied(let error),
      .restricted(let error), .notDetermined(let error), .notInUse(let error), .locked(let error),
      .alreadyAsking(let error), .tooSoon(let error, _), .tooMany(let error), .expired(let error), .noFix(let error),
      .withheld(let error), .invalid(let error), .gatewayFailed(let error):
      error
    case .noGateway, .untrusted, .connectionLost, .unexpected, .cancelled, .closed: nil
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// A message for users, with a remedy if a remedy is known.
  public var description: String {
    if let refusal { return "\(refusal.code.rawValue) \(refusal.code.slug): \(refusal.text)" }
    return switch self {
    case .noGateway(let endpoint, let cause, let remedy):
      "\(LinkError.noGateway(endpoint: endpoint, cause: cause, remedy: remedy))"
    case .untrusted(let cause): "cannot trust the gateway: \(cause)"
    case .unexpected(let line): "cannot communicate with the gateway: \(line)"
    case .cancelled: "cancelled"
    case .closed: "the client is closed"
    default: "the connection to the gateway was lost"
    }
  }
}

extension ClientError {
  init(_ error: LinkError) {
    self =
      switch error {
      case .noGateway(let endpoint, let cause, let remedy):
        .noGateway(endpoint: endpoint, cause: cause, remedy: remedy)
      case .untrusted(let cause): .untrusted(cause: cause)
      case .closed: .connectionLost
      case .unexpected(let line): .unexpected(line)
      case .cancelled: .cancelled
      case .refused(let refusal, let fields): ClientError(refusal, fields)
      }
  }

  init(_ refusal: LineError, _ fields: ServerLine.Fields = [:]) {
    self =
      switch refusal.code {
      case .badLine, .badCRC, .lineTooLong, .unknownVerb, .badTopic, .badArgument, .notOwner: .invalid(refusal)
      case .notDetermined: .notDetermined(refusal)
      case .denied: .denied(refusal)
      case .restricted: .restricted(refusal)
      case .notInUse: .notInUse(refusal)
      case .locked: .locked(refusal)
      case .noPress: .noPress(refusal)
      case .alreadyArmed: .alreadyAsking(refusal)
      case .expired: .expired(refusal)
      case .rateLimited:
        .tooSoon(refusal, retryAfter: fields["retry-after"].flatMap { Int($0) }.map { Duration.seconds($0) })
      case .tooMany: .tooMany(refusal)
      case .internal, .notSaved: .gatewayFailed(refusal)
      case .noFix, .receiverAbsent: .noFix(refusal)
      case .indicator, .store: .withheld(refusal)
      case .authRequired, .authTimeout, .authFailed: .unauthenticated(refusal)
      case .protoMismatch: .incompatible(refusal)
      case .slowConsumer, .keepaliveTimeout, .shuttingDown: .connectionLost
      }
  }
}
