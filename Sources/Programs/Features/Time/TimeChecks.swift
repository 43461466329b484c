import Configuration

extension Fault {
  static let timeOfGPSD = Fault(
    "time-receiver", .warning, "the receiver {receiver} gives chrony no time: gpsd reads it and delays its times",
    remedy: "let gpsd give chrony the time, and remove [time]", isConfiguration: true)
  static let timeNotLive = Fault(
    "time-receiver", .warning, "the receiver {receiver} gives chrony no time: it is simulated or recorded",
    remedy: "use a receiver on uart: or i2c:", isConfiguration: true)
  static let timeReduced = Fault(
    "time-reduced", .warning,
    "the accuracy of an app is lower than full, but every local user can see in chrony when the receiver has no fix, "
      + "for example in a building or a tunnel",
    remedy: "if this matters, remove [time]", isConfiguration: true, isLive: true)
  static let timeAbsent = Fault(
    "time-absent", .warning, "chrony's socket {socket} does not exist yet",
    remedy: "add to chrony's configuration: refclock SOCK {socket} refid GNSS; then start chrony")
  static let timeFolderDenied = Fault(
    "time-denied", "chrony's socket: user {user} has no permission to use the folder {path}",
    remedy: "let chrony make the socket in /run, for example /run/chrony.onefix.sock")
  static let timeDenied = Fault(
    "time-denied", "chrony's socket: user {user} has no permission to write to {path}",
    remedy: "sudo systemctl edit chrony, with [Service] and ExecStartPost=+/usr/bin/chown {user} {socket}; then sudo "
      + "systemctl restart chrony")
  /// The problem that other users of this machine can replace chrony's socket, or can send wrong times to the socket.
  static let timeOpen = Fault(
    "time-open", .warning, "chrony's socket {socket} is open to other users: they could set the clock of this machine",
    remedy: "let only root write to the folder, and only user {user} to the socket", isLogged: true)
}

extension TimeFeature: CheckedFeature {
  /// The files whose permissions the check reads: the socket of chrony (a program that sets the clock), and its folder.
  var objects: [MachineObject] { [.file(socket), .file(Machine.folder(of: socket))] }

  func configurationFindings(about subject: Subject) -> [Finding] {
    let receiver = subject.receiver
    var found: [Finding] = []
    if !receiver.canSetClock {
      found.append(
        Finding(receiver.isLive ? .timeOfGPSD : .timeNotLive, at: location, ["receiver": "\(receiver)"]))
    }
    if subject.configuration.hasReducedApps { found.append(Finding(.timeReduced, at: location)) }
    return found
  }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    guard subject.receiver.canSetClock else { return [] }
    let user = machine.user
    let path = Machine.folder(of: socket)
    func finding(_ fault: Fault, _ file: DeviceFile? = nil) -> Finding {
      Finding(fault, at: location, ["user": user.name, "socket": socket, "path": file?.path ?? ""])
    }
    // A user without permission to search the folder cannot see whether the socket exists.
    if let folder = machine.files[path], !folder.isSearchable(by: user, in: machine.accounts) {
      return [finding(.timeFolderDenied, folder)]
    }
    guard let folder = machine.files[path], let file = machine.files[socket] else { return [finding(.timeAbsent)] }
    let isFolderOpen = folder.mode & 0o022 != 0 || ![0, user.uid, file.owner].contains(folder.owner)
    let isOpen = isFolderOpen || file.mode & 0o022 != 0
    return (file.isWritable(by: user, in: machine.accounts) ? [] : [finding(.timeDenied, file)])
      + (isOpen ? [finding(.timeOpen)] : [])
  }
}
