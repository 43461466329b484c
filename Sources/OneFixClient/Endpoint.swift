import Glibc

extension OneFixClient {
  /// Where a gateway listens.
  public enum Endpoint: Hashable, Sendable {
    /// A Unix socket, by its path.
    case unix(String)

    /// The apps' socket: `$ONEFIX_SOCKET`, else `/run/onefix/onefix.sock`.
    public static var standard: Endpoint {
      guard let path = unsafe getenv("ONEFIX_SOCKET") else { return .unix("/run/onefix/onefix.sock") }
      return .unix(unsafe String(cString: path))
    }

    /// The owners' socket: `owner.sock` beside the apps'.
    public var owners: Endpoint {
      switch self {
      case .unix(let path): .unix((path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "owner.sock")
      }
    }
  }
}
