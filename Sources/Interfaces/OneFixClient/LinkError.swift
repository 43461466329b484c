package import LineProtocol

/// Why one connection could not do what was asked.
package enum LinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody listens at the endpoint, or it may not be opened.
  case noGateway(endpoint: String, cause: String)
  /// Whoever listens there is not the gateway: its certificate or its proof of the key is wrong.
  case untrusted(cause: String)
  /// The gateway said no; the code tells why.
  case refused(LineError, ServerLine.Fields = [:])
  /// The connection ended before there was an answer.
  case closed
  /// The gateway said something that this client does not understand.
  case unexpected(String)
  /// The task was cancelled before there was an answer.
  case cancelled

  package var description: String {
    switch self {
    case .noGateway(let endpoint, let cause): "cannot reach the gateway at \(endpoint): \(cause) (is onefixd running?)"
    case .untrusted(let cause): "cannot trust who answers as the gateway: \(cause)"
    case .refused(let error, _): "\(error.code.rawValue) \(error.code.slug): \(error.text)"
    case .closed: "the gateway closed the connection"
    case .unexpected(let line): "the gateway said something unexpected: \(line)"
    case .cancelled: "cancelled"
    }
  }

  /// Whether the connection goes on: the gateway has only said no.
  var isAnswer: Bool {
    if case .refused(let error, _) = self { !error.code.closes } else { false }
  }

  /// Whether another attempt would come to the same.
  var isLasting: Bool {
    switch self {
    case .untrusted: true
    case .refused(let error, _): [.authRequired, .authFailed, .protoMismatch].contains(error.code)
    case .noGateway, .closed, .unexpected, .cancelled: false
    }
  }
}
