import Glibc
import OperatingSystem

/// The file system of the machine, or a temporary folder in its place in tests.
struct FileTree: Sendable {
  /// The path that replaces the root folder `/`; empty for the root folder itself.
  let root: String
  /// The file type of a device: S_IFCHR (a character device) on a real machine, another type in tests.
  let deviceType: mode_t

  /// Creates a file tree. The function resolves symbolic links in the root's path.
  /// - Parameters:
  ///   - root: The path of an existing folder; empty for the root folder of the machine.
  ///   - deviceType: The file type that counts as a device, as in `S_IFCHR`.
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

  /// Returns the bytes of a file; nil if the file cannot be read. A file of more than 1 MiB is cut off.
  func bytes(of path: String) -> [UInt8]? {
    try? OpenFile(root + path, O_RDONLY | O_NONBLOCK | O_NOCTTY).read(atMost: 1 << 20)
  }

  func text(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  func link(at path: String) -> String? { DeviceNode.link(at: root + path) }

  func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(root + path, &status) == 0
  }

  /// Returns the owner and the permissions of a file, after all symbolic links; nil if the file does not exist. The
  /// function does not open the file, because opening a serial port changes its control lines.
  func file(at path: String) -> DeviceFile? {
    guard let node = node(at: path) else { return nil }
    let isDevice = node.status.st_mode & S_IFMT == deviceType
    return DeviceFile(
      path: node.device, copy: node.path == node.device ? nil : node.path,
      persistentLink: path.hasPrefix("/dev/serial/by-") ? String(path.dropFirst("/dev/".count)) : nil,
      kind: isDevice ? .device : .other,
      owner: node.status.st_uid, group: node.status.st_gid, mode: node.status.st_mode & 0o7777,
      drivers: isDevice ? drivers(of: node.major) : [])
  }

  func node(at path: String) -> DeviceNode? { DeviceNode(path, root: root, type: deviceType) }

  /// Returns the names of the drivers with a major device number, and then this number as text. In /proc/devices, each
  /// text line has a number and a name. (proc(5))
  private func drivers(of major: UInt64) -> [String] {
    let lines = (text(of: "/proc/devices") ?? "").split(separator: "\n").prefix { $0 != "Block devices:" }
    let names = lines.compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "\(major)" ? String(words[1]) : nil
    }
    return names.isEmpty ? [] : names + ["\(major)"]
  }
}
