public import LineProtocol

/// Why a client could not do what was asked: one case for each thing that an app can do about it.
///
/// Where the gateway said no, the case has what it said, with a sentence for people.
/// <doc:Errors> tells for each case what to do.
public enum ClientError: Error, Hashable, Sendable {
  /// Nobody listens at the endpoint, or this process may not open it.
  case noGateway(endpoint: String, cause: String)
  /// Whoever answers is not the gateway: its certificate is not trusted, or it has not the app's key.
  case untrusted(cause: String)
  /// The gateway does not take this process for the app: it is not configured, or its proof is wrong.
  case unauthenticated(LineError)
  /// The gateway speaks another version of the protocol.
  case incompatible(LineError)
  /// Nobody pressed the button before the request's timeout.
  case noPress(LineError)
  /// The person said no.
  case denied(LineError)
  /// The owner's configuration forbids it, and no answer of a person can change that.
  case restricted(LineError)
  /// Nobody has been asked yet whether the app may.
  case notDetermined(LineError)
  /// The app may know only while it is in use, and it is not.
  case notInUse(LineError)
  /// The kill switch is on.
  case locked(LineError)
  /// The app waits for a press, or has updates, already.
  case alreadyAsking(LineError)
  /// The app asked too often, or asked a person who did not answer. Nil where the gateway does not say how long to
  /// wait.
  case tooSoon(LineError, retryAfter: Duration?)
  /// The app has as many subscriptions, regions or sessions as it may have.
  case tooMany(LineError)
  /// What the app may know was changed meanwhile, or what it waited for is over.
  case expired(LineError)
  /// The receiver found no fix in time, or is not there.
  case noFix(LineError)
  /// The gateway withholds the fix: its indicator cannot be shown, or its log cannot be written.
  case withheld(LineError)
  /// What the app said is not allowed, as a purpose that is too long.
  case invalid(LineError)
  /// The gateway failed; its log says why.
  case gatewayFailed(LineError)
  /// The connection was lost, and with it what became of the request.
  case connectionLost
  /// The gateway said something that this client does not understand.
  case unexpected(String)
  /// The task was cancelled.
  case cancelled
  /// This client was closed.
  case closed

  /// What the gateway said, where it said no.
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
  /// A sentence for people, with a remedy where one is known.
  public var description: String {
    if let refusal { return "\(refusal.code.rawValue) \(refusal.code.slug): \(refusal.text)" }
    return switch self {
    case .noGateway(let endpoint, let cause): "cannot reach the gateway at \(endpoint): \(cause) (is onefixd running?)"
    case .untrusted(let cause): "cannot trust who answers as the gateway: \(cause)"
    case .unexpected(let line): "the gateway said something unexpected: \(line)"
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
      case .noGateway(let endpoint, let cause): .noGateway(endpoint: endpoint, cause: cause)
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
      case .internal: .gatewayFailed(refusal)
      case .noFix, .receiverAbsent: .noFix(refusal)
      case .indicator, .store: .withheld(refusal)
      case .authRequired, .authTimeout, .authFailed: .unauthenticated(refusal)
      case .protoMismatch: .incompatible(refusal)
      case .slowConsumer, .keepaliveTimeout, .shuttingDown: .connectionLost
      }
  }
}
