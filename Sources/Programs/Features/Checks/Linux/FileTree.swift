import Glibc
import OperatingSystem

/// The files of the machine, or of a temporary folder in a test.
struct FileTree: Sendable {
  /// The root folder; empty for the files of the machine itself.
  let root: String
  /// The type of the files that the checks treat as devices: S_IFCHR (a character device) on a real machine.
  let deviceType: mode_t

  /// - Parameter root: an existing folder. Symbolic links in its path are resolved.
  init(root: String, deviceType: mode_t) {
    self.deviceType = deviceType
    guard !root.isEmpty, let real = unsafe realpath(root, nil) else {
      self.root = root
      return
    }
    self.root = unsafe String(cString: real)
    unsafe free(real)
  }

  /// Returns the sorted names of the files in a folder; empty if the folder cannot be read.
  func names(in folder: String) -> [String] { Folder.names(in: root + folder) }

  /// Returns the contents of a small file; nil if it cannot be read.
  func bytes(of path: String) -> [UInt8]? {
    let file = unsafe open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return try? readToEnd(file, limit: 1 << 20)
  }

  func text(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  func link(at path: String) -> String? { DeviceNode.link(at: root + path) }

  func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(root + path, &status) == 0
  }

  /// Returns the file behind all symbolic links; nil if it does not exist. The file is not opened, because opening a
  /// serial port changes its control lines.
  func file(at path: String) -> DeviceFile? {
    guard let node = node(at: path) else { return nil }
    let isDevice = node.status.st_mode & S_IFMT == deviceType
    return DeviceFile(
      path: node.device, copy: node.path == node.device ? nil : node.path, kind: isDevice ? .device : .other,
      owner: node.status.st_uid, group: node.status.st_gid, mode: node.status.st_mode & 0o7777,
      drivers: isDevice ? drivers(of: node.major) : [])
  }

  func node(at path: String) -> DeviceNode? { DeviceNode(path, root: root, type: deviceType) }

  /// Returns the names of the drivers with a major number, and the number itself. A line of /proc/devices is the number
  /// and the name. (proc(5))
  private func drivers(of major: UInt64) -> [String] {
    let lines = (text(of: "/proc/devices") ?? "").split(separator: "\n").prefix { $0 != "Block devices:" }
    let names = lines.compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "\(major)" ? String(words[1]) : nil
    }
    return names.isEmpty ? [] : names + ["\(major)"]
  }
}
