/// Lists the processes and their open files. (proc(5))
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

  /// Whether a process has a file open. Only root can see the open files of other users' processes.
  func isOpen(_ path: String, in pid: Int) -> Bool {
    let folder = "/proc/\(pid)/fd"
    return tree.names(in: folder).contains { tree.link(at: "\(folder)/\($0)") == path }
  }
}
