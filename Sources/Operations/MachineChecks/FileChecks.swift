package import Configuration

extension Machine {
  /// Returns a finding if a file does not exist, or if the daemon's user has no permission to read it.
  /// - Parameters:
  ///   - part: The part of the gateway that reads the file, as in `the broker`.
  ///   - remedy: The first words of the remedy for an absent file, before `whether`.
  package func fileFinding(
    _ path: String, of part: String, _ code: FindingCode, at location: ConfigurationLocation, remedy: String
  ) -> Finding? {
    guard let file = files[path] else {
      return Finding(
        code, .error, at: location, "\(part): \(path) does not exist",
        remedy: "\(remedy) whether user \(user.name) can read its folder")
    }
    guard file.isReadable(by: user, in: accounts) else {
      return Finding(
        code, .error, at: location, "\(part): user \(user.name) has no permission to read \(path)",
        // A group of the user is no remedy, because the apps can be its members.
        remedy: "give the file to that user alone: chown \(user.name), chmod 600")
    }
    return nil
  }

  /// Returns a finding if a user other than root and the daemon's user has a right on a secret. With the secret, a
  /// program could impersonate the gateway.
  /// - Parameters:
  ///   - part: The part of the gateway that reads the file, as in `the broker`.
  ///   - secret: The words before the path, as in `the private key`.
  package func secretFinding(
    _ path: String, of part: String, _ secret: String, _ code: FindingCode, at location: ConfigurationLocation
  ) -> Finding? {
    guard let file = files[path], !file.isSecret(to: user) else { return nil }
    return Finding(
      code, .warning, at: location, "\(part): other users can read or write \(secret) \(path)",
      remedy: "chown \(user.name) \(path); chmod 600 \(path); if others can have read it, create a new one")
  }
}
