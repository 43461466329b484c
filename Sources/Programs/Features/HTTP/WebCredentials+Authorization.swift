import Base
import LineProtocol

extension WebCredentials {
  /// Returns the value of the header field `Authorization`, with the secret from its file.
  func authorization() throws(OutputError) -> String {
    switch self {
    case .password(let user, let file):
      "Basic " + Self.base64(Array("\(user):\(try SecretFile.read(file))".utf8))
    case .bearer(let file): "Bearer " + (try Self.token(in: file))
    }
  }

  private static func token(in file: String) throws(OutputError) -> String {
    let token = try SecretFile.read(file)
    // A header field cannot contain such characters.
    guard token.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw OutputError("use the secret in", file, .file, detail: "the token has a control character")
    }
    return token
  }

  /// Encodes bytes in Base64 with padding (RFC 4648 §4).
  private static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.text(of: bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
