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

  /// Returns an error if the daemon's user cannot read the configuration file of the service.
  func configurationFileFindings(on machine: Machine) -> [Finding] {
    let path = Self.configurationFile
    guard checksConfigurationFile, let file = machine.files[path] else { return [] }
    // The path of the file has no symbolic links.
    let folder = Machine.folder(of: file.path)
    let isOpen = machine.files[folder]?.isSearchable(by: machine.user, in: machine.accounts) ?? true
    let isRead = file.isReadable(by: machine.user, in: machine.accounts)
    if isOpen && isRead { return [] }
    let commands = [isOpen ? nil : "chmod a+x \(folder)", isRead ? nil : "chmod a+r \(file.path)"].compactMap(\.self)
    let values = ["user": machine.user.name, "commands": commands.joined(separator: "; ")]
    return [Finding(.configurationDenied, at: ConfigurationLocation(file: path), values)]
  }
}
