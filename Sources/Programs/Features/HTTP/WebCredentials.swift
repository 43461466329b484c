import Configuration

/// The credentials with which the gateway logs in at a web server. The secret itself is in a file.
enum WebCredentials: Hashable, Sendable {
  /// A user name, and the path of a file with the password, for HTTP basic authentication (RFC 7617).
  case password(user: String, file: String)
  /// The path of a file with a bearer token (RFC 6750).
  case bearer(file: String)

  /// Reads the credentials from a table `[[http]]`; nil if the table has no credentials. Keys that are missing beside
  /// another key, and keys that exclude each other, are reported as errors.
  init?(reading table: TOMLTable) {
    let user = table.plainText("user", columns: 256)
    let password = table.path("password_file")
    let bearer = table.path("bearer_file")
    if let user, user.value.utf8.contains(UInt8(ascii: ":")) { table.reject("user", "must not contain ':'") }
    table.require("password_file", with: "user")
    table.require("user", with: "password_file")
    if table.has("bearer_file"), table.has("user") || table.has("password_file") {
      table.reject("bearer_file", "cannot be used with 'user' and 'password_file'")
    }
    if let user, let password {
      self = .password(user: user.value, file: password.value)
    } else if let bearer {
      self = .bearer(file: bearer.value)
    } else {
      return nil
    }
  }
}
