import Configuration

extension Fault {
  private static let folderRemedy =
    "sudo install -d -o {user} -g GROUP -m 2750 {path}, with {reader} as GROUP, for example prometheus"

  /// The note that no group can read the metrics file, because the file's group is the daemon's group, in which the
  /// apps are.
  static let metricsOfDaemon = Fault(
    "metrics-closed", .note,
    "the metrics: only root and user {user} can read {file}: the group {group} of {path} is the group of user {user}, "
      + "whose members are the apps", remedy: "for a collector: " + folderRemedy)
  static let metricsClosed = Fault(
    "metrics-closed", .note,
    "the metrics: only root and user {user} can read {file}: {path} gives its files no group of its own (set-group-ID)",
    remedy: "for a collector: " + folderRemedy)
  static let metricsOpen = Fault(
    "metrics-open", .warning,
    "the metrics: the group {group} can read {file}, and users of apps are its members: {readers}",
    remedy: folderRemedy, isLogged: true)
}

extension MetricsFeature: CheckedFeature {
  /// The folder of the metrics file. Its permissions determine which users can read the file.
  var objects: [MachineObject] { [.file(Machine.folder(of: file))] }

  /// Returns a problem if no metrics collector can read the metrics file, or if users of apps can read the file.
  /// Metrics can reveal facts about the location.
  ///
  /// With the set-group-ID bit, the file gets the group of its folder; without this bit, no group can read the file.
  /// The check sees the groups of users, but not the groups that systemd gives to a unit.
  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    let path = Machine.folder(of: file)
    // The daemon itself reports a folder that does not exist.
    guard let folder = machine.files[path] else { return [] }
    let user = machine.user
    var values = [
      "user": user.name, "file": file, "path": path, "group": machine.accounts.groupName(folder.group),
      "reader": "the group of the collector alone",
    ]
    guard folder.isSetGroupID, folder.group != user.gid else {
      return [Finding(folder.isSetGroupID ? .metricsOfDaemon : .metricsClosed, at: location, values)]
    }
    let readers = machine.accounts.members(of: folder.group).filter(
      machine.usersOfApps(subject.configuration.identities).contains)
    guard !readers.isEmpty else { return [] }
    values["reader"] = "a group without users of apps"
    values["readers"] = readers.joined(separator: ", ")
    return [Finding(.metricsOpen, at: location, values)]
  }
}

extension Machine {
  /// Returns the names of the Unix users that can be apps: the configured users, and the members of the daemon's group.
  /// Owners are not included, because owners may read the metrics.
  fileprivate func usersOfApps(_ identities: [AppIdentification]) -> Set<String> {
    let configured = identities.compactMap { app -> String? in
      if case .uid(let uid) = app.identity { accounts.userName(uid) } else { nil }
    }
    let owners = accounts.groups.filter { $0.name == "onefix-owner" }.flatMap { accounts.members(of: $0.gid) }
    return Set(configured + accounts.members(of: user.gid)).subtracting(owners + [user.name, accounts.userName(0)])
  }
}
