import Glibc
import LinuxHardware

/// The files of the machine. A test can use a temporary folder in place of the machine's root folder.
struct FileTree: Sendable {
  /// The root folder. The text is empty if the files are those of the machine itself.
  let root: String
  /// The type of the files that the checks treat as devices. On a real machine, the type is S_IFCHR (a character
  /// device).
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

  /// Returns the sorted names of the files in a folder. Returns an empty array if the folder cannot be read.
  func names(in folder: String) -> [String] { Folder.names(in: root + folder) }

  /// Returns the contents of a small file, or nil if it cannot be read.
  func bytes(of path: String) -> [UInt8]? {
    let file = unsafe open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = unsafe read(file, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  func text(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the target of a symbolic link, or nil if the path is not a symbolic link.
  func link(at path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(root + path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(root + path, &status) == 0
  }

  /// Follows all symbolic links and returns the file, or nil if the file does not exist. This function does not open
  /// the file, because opening a serial port changes the control lines of the port.
  func file(at path: String) -> DeviceFile? {
    var status = stat()
    guard unsafe stat(root + path, &status) == 0, let real = unsafe realpath(root + path, nil) else { return nil }
    let full = unsafe String(cString: real)
    unsafe free(real)
    return DeviceFile(
      path: full.hasPrefix(root) ? String(full.dropFirst(root.count)) : path,
      kind: status.st_mode & S_IFMT == deviceType ? .device : .other, owner: status.st_uid, group: status.st_gid,
      mode: status.st_mode & 0o777)
  }
}
