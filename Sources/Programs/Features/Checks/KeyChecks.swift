import Configuration

extension Subject {
  /// The path of the file with the device's key; nil for a simulated board, whose key is next to its state.
  package var keyFile: String? { board.isSimulated ? nil : stateFiles?.key ?? "/etc/onefix/device.key" }

  /// Returns a warning if a user other than root and the daemon's user can read or write the device's key.
  ///
  /// No group may read the key, because the apps are members of the group `onefix`. The daemon itself gets the key as a
  /// credential of systemd, and does not see the permissions of the file.
  func deviceKeyFindings(on machine: Machine) -> [Finding] {
    guard let path = keyFile, let file = machine.files[path], !file.isSecret(to: machine.user) else { return [] }
    let isForeign = ![0, machine.user.uid].contains(file.owner)
    let values = ["path": path, "chown": isForeign ? "chown root \(path); " : ""]
    return [Finding(.keyOpen, at: ConfigurationLocation(file: path), values)]
  }
}
