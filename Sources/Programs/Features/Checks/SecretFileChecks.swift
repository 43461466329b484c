package import Configuration

extension Machine {
  /// Returns an error if a file does not exist, or if the daemon's user has no permission to read the file; otherwise
  /// nil.
  /// - Parameters:
  ///   - name: The feature that reads the file, as in `the broker`, for messages.
  ///   - remedy: The beginning of the remedy for a missing file, as in `check the path, and`.
  package func fileFinding(
    _ path: String, of name: String, _ faults: FileFaults, at location: ConfigurationLocation, remedy: String
  ) -> Finding? {
    let values = ["path": path, "title": Finding.title(name), "user": user.name, "remedy": remedy]
    guard let file = files[path] else { return Finding(faults.absent, at: location, values) }
    return file.isReadable(by: user, in: accounts) ? nil : Finding(faults.denied, at: location, values)
  }

  /// Returns a warning if a user other than root and the daemon's user can read or write a file with a secret;
  /// otherwise nil. With the secret, a program could impersonate the gateway.
  /// - Parameters:
  ///   - name: The feature that reads the file, as in `the broker`, for messages.
  ///   - secret: The words before the path in the message, as in `the private key`.
  package func secretFinding(
    _ path: String, of name: String, _ secret: String, _ faults: FileFaults, at location: ConfigurationLocation
  ) -> Finding? {
    guard let file = files[path], !file.isSecret(to: user) else { return nil }
    return Finding(
      faults.open, at: location,
      ["path": path, "title": Finding.title(name), "user": user.name, "secret": secret])
  }
}
