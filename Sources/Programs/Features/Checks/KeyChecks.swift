import Configuration

extension Subject {
  /// The file of the device's key; nil for a simulated board, whose key is next to its state.
  package var keyFile: String? { board.isSimulated ? nil : stateFiles?.key ?? "/etc/onefix/device.key" }

  /// Returns a finding if a user other than root and the daemon's user has a permission on the device's key. The apps
  /// are members of the group `onefix`, so no group may read the key. The service manager hands the key over as a
  /// credential, so the daemon itself does not see the permissions of the file.
  func deviceKeyFindings(on machine: Machine) -> [Finding] {
    guard let path = keyFile, let file = machine.files[path], !file.isSecret(to: machine.user) else { return [] }
    let isForeign = ![0, machine.user.uid].contains(file.owner)
    let values = ["path": path, "chown": isForeign ? "chown root \(path); " : ""]
    return [Finding(.keyOpen, at: ConfigurationLocation(file: path), values)]
  }
}
