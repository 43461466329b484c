import OperatingSystem

/// The settings of `[console]`: a serial port with a terminal for the owner.
package struct ConsoleSettings: Hashable, Sendable {
  /// The device, as in `/dev/ttyS0`.
  package var port: String
  /// The speed in bits per second.
  package var baud = 115_200
  /// Whether the session ends when the modem loses the carrier signal.
  package var isModem = false
  /// The file with the hash of the PIN. A console without a PIN is permitted only on a local pseudo-terminal.
  package var pinFile: String?
  package var portLocation: ConfigurationLocation
  package var pinLocation: ConfigurationLocation

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let file = table.diagnostics.file
    let port = table.path("port")
    baud = table.baud("baud") ?? baud
    isModem = table.boolean("modem")?.value ?? false
    let pinFile = table.path("pin_file")
    self.pinFile = pinFile?.value
    guard let port else {
      table.require("port")
      return nil
    }
    self.port = port.value
    portLocation = ConfigurationLocation(file: file, line: port.line)
    pinLocation = ConfigurationLocation(file: file, line: pinFile?.line ?? table.line)
  }
}

extension TOMLTable {
  /// Reads the value of a key as an absolute path.
  package func path(_ key: String) -> Located<String>? {
    guard let text = string(key) else { return nil }
    guard text.value.hasPrefix("/"), !text.value.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      reject(key, text, "is \(DiagnosticText.quoted(text.value)), but must be a path that begins with /")
      return nil
    }
    return text
  }

  /// Reads the value of a key as the absolute path of a socket. Two equal sockets have equal paths, unless a symbolic
  /// link other than `/var/run` is in them.
  package func socketPath(_ key: String) -> Located<String>? {
    guard let path = path(key) else { return nil }
    let parts = path.value.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
      reject(key, path, "is \(DiagnosticText.quoted(path.value)), but must be a path without '//', '.' and '..'")
      return nil
    }
    // /var/run is a symbolic link to /run. (Filesystem Hierarchy Standard 3.0, 5.13)
    guard !path.value.hasPrefix("/var/run/") else {
      let direct = DiagnosticText.quoted(String(path.value.dropFirst("/var".count)))
      reject(key, path, "is \(DiagnosticText.quoted(path.value)), but /var/run is a link to /run (use \(direct))")
      return nil
    }
    guard path.value.utf8.count <= SocketPath.maximumLength else {
      reject(key, path, "has \(path.value.utf8.count) bytes, but must have at most \(SocketPath.maximumLength)")
      return nil
    }
    return path
  }
}
