package import Base
package import Configuration
import Glibc
import LineProtocol
import TLS

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

extension FileFaults {
  /// Returns an error that the daemon cannot use the content of a file; nil if this process cannot read the file.
  /// - Parameters:
  ///   - key: The configuration key with the path of the file.
  ///   - cause: The cause in words, as in `it has no certificate in PEM format`.
  ///   - name: The feature that reads the file, as in `the broker`, for messages.
  package func contentFinding(
    _ path: String, key: String, cause: String, of name: String, at location: ConfigurationLocation
  ) -> Finding? {
    guard unsafe access(path, R_OK) == 0 else { return nil }
    let fault =
      switch key {
      case "password_file", "bearer_file": noSecret
      case "key", "private_key": noKey
      default: noCertificate
      }
    return Finding(fault, at: location, ["path": path, "title": Finding.title(name), "cause": cause])
  }

  /// Returns the error of a function that reads configured files as the daemon does; nil without an error.
  /// - Parameters:
  ///   - files: The files, each with its configuration key.
  ///   - location: Returns the place of a configuration key.
  func contentFinding(
    in files: [(key: String, path: String)], of name: String, at location: (String) -> ConfigurationLocation,
    _ read: () throws(OutputError) -> Void
  ) -> Finding? {
    do throws(OutputError) {
      try read()
      return nil
    } catch {
      // Without `ca`, the authorities of this machine are in a folder.
      let key = files.first { $0.path == error.object }?.key ?? "ca"
      return contentFinding(
        error.object, key: key, cause: error.detail ?? error.fault.cause, of: name, at: location(key))
    }
  }

  /// Returns an error if the gateway's own certificate has expired; otherwise nil.
  package func expiryFinding(
    _ certificate: String, of name: String, at location: ConfigurationLocation, now: UTCTime
  ) -> Finding? {
    let seconds = Int(now.nanosecondsSince1970 / 1_000_000_000)
    guard let own = PEMText.file(certificate).certificates.first, own.hasExpired(at: seconds) else { return nil }
    return Finding(expired, at: location, ["path": certificate, "title": Finding.title(name)])
  }
}
