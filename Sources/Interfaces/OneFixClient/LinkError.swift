package import LineProtocol

/// The reason why a connection to a gateway failed, or why the gateway refused a command.
package enum LinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No program listens at the endpoint, or this process may not open the endpoint.
  case noGateway(endpoint: String, cause: String, remedy: String?)
  /// The program at the endpoint is not the gateway: its certificate is not trusted, or its proof of the key is wrong.
  case untrusted(cause: String)
  case refused(LineError, ServerLine.Fields = [:])
  /// The connection ended before the gateway replied.
  case closed
  case unexpected(String)
  case cancelled

  package var description: String {
    switch self {
    case .noGateway(let endpoint, let cause, let remedy):
      "cannot reach the gateway at \(endpoint): \(cause)" + (remedy.map { " (\($0))" } ?? "")
    case .untrusted(let cause): "cannot trust the gateway: \(cause)"
    case .refused(let error, _): "\(error.code.rawValue) \(error.code.slug): \(error.text)"
    case .closed: "the gateway closed the connection"
    case .unexpected(let line): "cannot communicate with the gateway: \(line)"
    case .cancelled: "cancelled"
    }
  }

  /// The cause in the message about a gateway that accepted the connection, and then did not answer.
  package static let noAnswer = "the gateway does not answer"

  /// The remedy in the message about a gateway that does not listen or does not answer.
  package static let isItRunning = "is onefixd running?"

  /// Whether the error is the gateway's answer to a command, after which the connection stays open.
  var isAnswer: Bool {
    if case .refused(let error, _) = self { !error.code.closes } else { false }
  }

  /// Whether a further connection attempt would fail with the same error. The client then makes no further attempt.
  var isLasting: Bool {
    switch self {
    case .untrusted: true
    case .refused(let error, _): [.authRequired, .authFailed, .protoMismatch].contains(error.code)
    case .noGateway, .closed, .unexpected, .cancelled: false
    }
  }
}
