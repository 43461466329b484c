import Base
import LineProtocol

extension WebCredentials {
  /// Returns the value of the header field `Authorization`, with the secret from its file.
  func authorization() throws(OutputError) -> String {
    switch self {
    case .password(let user, let file):
      "Basic " + Self.base64(Array("\(user):\(try SecretFile.read(file))".utf8))
    case .bearer(let file): "Bearer " + (try SecretFile.read(file))
    }
  }

  /// Encodes bytes in Base64 with padding (RFC 4648 §4).
  private static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.text(of: bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
