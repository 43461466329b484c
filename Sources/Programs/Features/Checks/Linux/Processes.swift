import OperatingSystem

/// Lists the running processes and their open files. (proc(5))
extension MachineReader {
  struct RunningProcess {
    var pid: Int
    var name: String
    var words: [String]
  }

  var processes: [RunningProcess] {
    tree.names(in: "/proc").compactMap { Int($0) }.sorted().compactMap { pid in
      guard let name = tree.text(of: "/proc/\(pid)/comm")?.split(separator: "\n").first else { return nil }
      let words = (tree.bytes(of: "/proc/\(pid)/cmdline") ?? []).split(separator: 0)
        .map { String(decoding: $0, as: UTF8.self) }
      return RunningProcess(pid: pid, name: String(name), words: words)
    }
  }

  /// Returns the paths of a process's open files. Only root can see the open files of other users' processes.
  func openFiles(of pid: Int) -> [String] {
    let folder = "/proc/\(pid)/fd"
    return tree.names(in: folder).compactMap { tree.link(at: "\(folder)/\($0)") }
  }

  /// Whether a process has a device open, under any name of the device.
  func isOpen(_ device: DeviceFile, in pid: Int) -> Bool {
    openFiles(of: pid).contains { path in
      path == device.path || path.hasPrefix("/dev/") && tree.node(at: path)?.device == device.path
    }
  }
}
