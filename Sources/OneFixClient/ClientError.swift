public import LineProtocol

/// Why a client could not do what was asked.
public enum ClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody listens at the endpoint, or it may not be opened.
  case noGateway(endpoint: String, cause: String)
  /// The gateway said no; the code tells why.
  case refused(LineError)
  /// The connection ended before there was an answer.
  case closed
  /// The gateway said something that this client does not understand.
  case unexpected(String)

  public var description: String {
    switch self {
    case .noGateway(let endpoint, let cause): "cannot reach the gateway at \(endpoint): \(cause) (is onefixd running?)"
    case .refused(let error): "\(error.code.rawValue) \(error.code.slug): \(error.text)"
    case .closed: "the gateway closed the connection"
    case .unexpected(let line): "the gateway said something unexpected: \(line)"
    }
  }
}
