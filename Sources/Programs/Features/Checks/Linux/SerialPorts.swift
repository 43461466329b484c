import Glibc

/// Finds the processes that use a serial port, and detects whether the kernel writes its messages there.
extension MachineReader {
  /// Returns the programs that use a serial port, and whether the kernel writes its messages to the port.
  /// - Parameter path: The configured path of the port, as in `/dev/serial0`.
  func serialPort(_ file: DeviceFile, _ path: String) -> Machine.SerialPort {
    let names = Set([file.path, path].compactMap { $0.split(separator: "/").last.map(String.init) })
    var port = Machine.SerialPort()
    // The path /dev/console always means the kernel's console.
    port.isConsole = file.path == "/dev/console" || !names.isDisjoint(with: consoles)
    for process in processes {
      let name = process.words.lazy.compactMap { $0.split(separator: "/").last.map(String.init) }
        .first(where: names.contains)
      let isOnPort = name != nil
      if isOnPort, ["agetty", "getty", "sulogin", "login"].contains(process.name) {
        (port.login, port.loginPort) = ("\(process.name), pid \(process.pid),", name)
      }
      if isOnPort, ["hciattach", "btattach", "hciuart"].contains(process.name) {
        port.bluetooth = "\(process.name), pid \(process.pid),"
      }
      if process.pid != Int(getpid()), isOpen(file, in: process.pid) {
        port.holders.append(Machine.Process(pid: process.pid, name: process.name))
      }
    }
    if port.login == nil, let name = names.sorted().first(where: { loginUnit($0) != nil }) {
      (port.login, port.loginPort) = (loginUnit(name), name)
    }
    return port
  }

  /// The names of the kernel's consoles, as in `ttyS0`: the present consoles, and those in the kernel's command line.
  /// (Documentation/admin-guide/serial-console.rst)
  private var consoles: Set<String> {
    let present = (tree.text(of: "/proc/consoles") ?? "").split(separator: "\n").compactMap { line in
      line.split(separator: " ").first.map(String.init)
    }
    let configured = (tree.text(of: "/proc/cmdline") ?? "").split { $0.isWhitespace }.compactMap { word -> String? in
      guard word.hasPrefix("console=") else { return nil }
      return String(word.dropFirst("console=".count).prefix { $0 != "," })
    }
    return Set(present + configured)
  }

  /// Returns the systemd unit that offers a login on a serial port, as in `serial-getty@ttyS0.service`; nil if there is
  /// none. (systemd-getty-generator(8))
  private func loginUnit(_ name: String) -> String? {
    let unit = "serial-getty@\(name).service"
    guard tree.link(at: "/etc/systemd/system/\(unit)") != "/dev/null" else { return nil }
    let folders = ["/etc/systemd/system", "/run/systemd/generator"]
    return folders.contains { tree.exists("\($0)/getty.target.wants/\(unit)") } ? unit : nil
  }
}
