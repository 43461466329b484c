import Configuration

extension Subject {
  /// The path of the device's key, a secret file of the gateway; nil for a simulated board.
  package var keyFile: String? { board.isSimulated ? nil : stateFiles?.key ?? "/etc/onefix/device.key" }

  /// Returns a warning if a user other than root and the daemon's user can read or write the device's key.
  ///
  /// The daemon itself gets the key as a credential of systemd, so the daemon's group needs no permission. The apps are
  /// in this group.
  func deviceKeyFindings(on machine: Machine) -> [Finding] {
    guard let path = keyFile, let file = machine.files[path], !file.isSecret(to: machine.user) else { return [] }
    let isForeign = ![0, machine.user.uid].contains(file.owner)
    let values = ["path": path, "chown": isForeign ? "chown root \(path); " : ""]
    return [Finding(.keyOpen, at: ConfigurationLocation(file: path), values)]
  }

  /// Returns an error if the daemon's user cannot read the configuration file.
  func configurationFileFindings(on machine: Machine) -> [Finding] {
    guard let path = configurationFile, let file = machine.files[path],
      let folder = machine.files[Machine.folder(of: path)]
    else { return [] }
    let isRead = file.isReadable(by: machine.user, in: machine.accounts)
    if isRead && folder.isSearchable(by: machine.user, in: machine.accounts) { return [] }
    let values = ["path": path, "user": machine.user.name, "folder": Machine.folder(of: path)]
    return [Finding(.configurationDenied, at: ConfigurationLocation(file: path), values)]
  }
}
