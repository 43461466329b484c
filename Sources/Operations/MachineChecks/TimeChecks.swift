import Configuration

extension Subject {
  /// Returns the findings about `[time]` that do not depend on the machine.
  var timeConfigurationFindings: [Finding] {
    guard let time = configuration.time else { return [] }
    var found: [Finding] = []
    if !receiver.canSetClock {
      let (cause, remedy) =
        receiver.isLive
        ? ("gpsd reads it and delays its times", "let gpsd give chrony the time, and remove [time]")
        : ("it is simulated or recorded", "use a receiver on uart: or i2c:")
      found.append(
        Finding(
          .timeReceiver, .warning, at: time.location, "the receiver \(receiver) gives chrony no time: \(cause)",
          remedy: remedy))
    }
    if configuration.hasReducedApps {
      found.append(
        Finding(
          .timeReduced, .warning, at: time.location,
          "the accuracy of an app is lower than full, but every local user can see in chrony when the receiver has no "
            + "fix, for example in a building or a tunnel", remedy: "if this matters, remove [time]"))
    }
    return found
  }

  /// Returns the findings about chrony's socket.
  func timeFindings(on machine: Machine) -> [Finding] {
    guard let time = configuration.time, receiver.canSetClock else { return [] }
    let user = machine.user
    let path = Machine.folder(of: time.socket)
    // A user without permission to search the folder cannot see whether the socket exists.
    if let folder = machine.files[path], !folder.isSearchable(by: user, in: machine.accounts) {
      return [
        Finding(
          .timeDenied, .error, at: time.location,
          "chrony's socket: user \(user.name) has no permission to use the folder \(folder.path)",
          remedy: "let chrony make the socket in /run, for example /run/chrony.onefix.sock")
      ]
    }
    guard let folder = machine.files[path], let socket = machine.files[time.socket] else {
      return [
        Finding(
          .timeAbsent, .warning, at: time.location, "chrony's socket \(time.socket) does not exist yet",
          remedy: "add to chrony's configuration: refclock SOCK \(time.socket) refid GNSS; then start chrony")
      ]
    }
    var found: [Finding] = []
    if !socket.isWritable(by: user, in: machine.accounts) {
      found.append(
        Finding(
          .timeDenied, .error, at: time.location,
          "chrony's socket: user \(user.name) has no permission to write to \(socket.path)",
          remedy: "sudo systemctl edit chrony, with [Service] and ExecStartPost=+/usr/bin/chown \(user.name) "
            + "\(time.socket); then sudo systemctl restart chrony"))
    }
    let isFolderOpen = folder.mode & 0o022 != 0 || ![0, user.uid, socket.owner].contains(folder.owner)
    if isFolderOpen || socket.mode & 0o022 != 0 {
      found.append(
        Finding(
          .timeOpen, .warning, at: time.location,
          "chrony's socket \(time.socket) is open to other users: they could set the clock of this machine",
          remedy: "let only root write to the folder, and only user \(user.name) to the socket"))
    }
    return found
  }
}
