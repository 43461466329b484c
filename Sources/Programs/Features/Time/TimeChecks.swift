import Configuration
import MachineChecks

extension FindingCode {
  /// The receiver cannot set a clock: it is simulated or recorded, or another program reads it.
  static let timeReceiver = Self("time-receiver", isConfiguration: true)
  /// The accuracy of an app is lower than full, and local users can see in chrony when the receiver has no fix.
  static let timeReduced = Self("time-reduced", isConfiguration: true, isLive: true)
  /// chrony's socket does not exist.
  static let timeAbsent = Self("time-absent")
  /// The daemon's user has no permission to send to chrony's socket.
  static let timeDenied = Self("time-denied")
  /// Other users can replace chrony's socket, or send samples of the time themselves.
  static let timeOpen = Self("time-open", isLogged: true)
}

extension TimeFeature: CheckedFeature {
  /// chrony's socket, and its folder.
  var objects: [MachineObject] { [.file(socket), .file(Machine.folder(of: socket))] }

  func configurationFindings(about subject: Subject) -> [Finding] {
    let receiver = subject.receiver
    var found: [Finding] = []
    if !receiver.canSetClock {
      let (cause, remedy) =
        receiver.isLive
        ? ("gpsd reads it and delays its times", "let gpsd give chrony the time, and remove [time]")
        : ("it is simulated or recorded", "use a receiver on uart: or i2c:")
      found.append(
        Finding(
          .timeReceiver, .warning, at: location, "the receiver \(receiver) gives chrony no time: \(cause)",
          remedy: remedy))
    }
    if subject.configuration.hasReducedApps {
      found.append(
        Finding(
          .timeReduced, .warning, at: location,
          "the accuracy of an app is lower than full, but every local user can see in chrony when the receiver has no "
            + "fix, for example in a building or a tunnel", remedy: "if this matters, remove [time]"))
    }
    return found
  }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    guard subject.receiver.canSetClock else { return [] }
    let user = machine.user
    let path = Machine.folder(of: socket)
    // A user without permission to search the folder cannot see whether the socket exists.
    if let folder = machine.files[path], !folder.isSearchable(by: user, in: machine.accounts) {
      return [
        Finding(
          .timeDenied, .error, at: location,
          "chrony's socket: user \(user.name) has no permission to use the folder \(folder.path)",
          remedy: "let chrony make the socket in /run, for example /run/chrony.onefix.sock")
      ]
    }
    guard let folder = machine.files[path], let file = machine.files[socket] else {
      return [
        Finding(
          .timeAbsent, .warning, at: location, "chrony's socket \(socket) does not exist yet",
          remedy: "add to chrony's configuration: refclock SOCK \(socket) refid GNSS; then start chrony")
      ]
    }
    var found: [Finding] = []
    if !file.isWritable(by: user, in: machine.accounts) {
      found.append(
        Finding(
          .timeDenied, .error, at: location,
          "chrony's socket: user \(user.name) has no permission to write to \(file.path)",
          remedy: "sudo systemctl edit chrony, with [Service] and ExecStartPost=+/usr/bin/chown \(user.name) "
            + "\(socket); then sudo systemctl restart chrony"))
    }
    let isFolderOpen = folder.mode & 0o022 != 0 || ![0, user.uid, file.owner].contains(folder.owner)
    if isFolderOpen || file.mode & 0o022 != 0 {
      found.append(
        Finding(
          .timeOpen, .warning, at: location,
          "chrony's socket \(socket) is open to other users: they could set the clock of this machine",
          remedy: "let only root write to the folder, and only user \(user.name) to the socket"))
    }
    return found
  }
}
