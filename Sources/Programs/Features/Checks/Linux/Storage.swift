/// Finds out whether a file is on a file system that keeps changes after a restart. (proc(5), /proc/pid/mountinfo)
extension MachineReader {
  private struct Mount {
    /// The folder of the mounted file system that is visible at the mount point; `/` for the whole file system.
    let root: String
    let point: String
    let type: String
    /// The device of the file system, as in `/dev/mmcblk0p3`, or a name such as `tmpfs` if there is no device.
    let source: String
    /// The mount options and the file system's options, as in `ro` or `upperdir=/changes`.
    let options: [String]

    /// Parses a text line of mountinfo, as in `36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/mmcblk0p3 rw`. Returns
    /// nil if the text line is invalid.
    init?(line: some StringProtocol) {
      let words = line.split(separator: " ").map { Mount.text($0) }
      guard let end = words.dropFirst(6).firstIndex(of: "-"), words.count > end + 3 else { return nil }
      (root, point) = (words[3], words[4])
      (type, source) = (words[end + 1], words[end + 2])
      options = (words[5] + "," + words[end + 3]).split(separator: ",").map(String.init)
    }

    var isOverlay: Bool { ["overlay", "overlayfs", "fuse.fuse-overlayfs"].contains(type) }

    /// The type of a file system in memory, as in `tmpfs`, or the name of its RAM disk, as in `zram0`; nil if the file
    /// system is not in memory.
    var memory: String? {
      if ["tmpfs", "ramfs", "rootfs", "devtmpfs"].contains(type) { return type }
      let device = source.split(separator: "/").last.map(String.init) ?? ""
      return source.hasPrefix("/dev/") && (device.hasPrefix("zram") || device.hasPrefix("ram")) ? device : nil
    }

    func values(of name: String) -> [String] {
      options.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// Returns the path of a file relative to the layers (folders) of this overlay file system.
    func relative(_ path: String) -> String {
      (root == "/" ? "" : root) + path.dropFirst(point == "/" ? 0 : point.count)
    }

    func contains(_ path: String) -> Bool { point == "/" || path == point || path.hasPrefix(point + "/") }

    /// Decodes the octal codes in mountinfo, for example `\040` for a space.
    private static func text(_ word: some StringProtocol) -> String {
      let parts = word.split(separator: "\\", omittingEmptySubsequences: false)
      return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
        let code = UInt8(part.prefix(3), radix: 8).map { String(UnicodeScalar($0)) }
        return text + (code.map { $0 + part.dropFirst(3) } ?? "\\" + part)
      }
    }
  }

  private var mounts: [Mount] {
    (tree.text(of: "/proc/self/mountinfo") ?? "").split(separator: "\n").compactMap { Mount(line: $0) }
  }

  /// Returns the kind of storage of a file that the daemon writes; nil if unknown. If the file does not exist, the
  /// nearest existing folder above the file decides.
  func storage(ofChangesTo path: String) -> Machine.Storage? {
    // An automount takes place when the file is found.
    let real = existing(path)
    let mounts = mounts
    return Self.mount(of: real, in: mounts).map { index in
      mounts[index].options.contains("ro") ? .readOnly : storage(index, mounts, [])
    }
  }

  /// Returns the kind of storage of a file that the daemon only reads; nil if unknown. On an overlay file system, a
  /// restart keeps a file that was never changed.
  func storage(ofContentsOf path: String) -> Machine.Storage? {
    guard let real = tree.file(at: path)?.path else { return storage(ofChangesTo: path) }
    let mounts = mounts
    guard let index = Self.mount(of: real, in: mounts) else { return nil }
    let mount = mounts[index]
    let storage = storage(index, mounts, [])
    guard case .overlay(_?) = storage else { return storage }
    let name = mount.relative(real)
    let isChanged = mount.values(of: "upperdir").contains { tree.exists($0 + name) }
    let layers = mount.values(of: "lowerdir").flatMap { $0.split(separator: ":").map(String.init) }
    let lower = (layers + mount.values(of: "lowerdir+")).lazy.compactMap { self.tree.file(at: $0 + name)?.path }.first
    guard !isChanged, let lower, let origin = Self.mount(of: lower, in: mounts), origin != index else { return storage }
    return self.storage(origin, mounts, [index])
  }

  /// Returns the kind of storage of a mounted file system.
  /// - Parameters:
  ///   - index: The index of the file system in `mounts`.
  ///   - visited: The indices of overlay file systems that store their changes on this file system, to detect a loop.
  private func storage(_ index: Int, _ mounts: [Mount], _ visited: Set<Int>) -> Machine.Storage {
    let mount = mounts[index]
    if let memory = mount.memory { return .memory(memory) }
    guard mount.isOverlay else { return .durable }
    let visited = visited.union([index])
    // The folder of the changes is not visible if the overlay, or another file system, covers it.
    guard let changes = mount.values(of: "upperdir").first,
      let next = Self.mount(of: tree.file(at: changes)?.path ?? changes, in: mounts), !visited.contains(next)
    else { return .overlay(changes: nil) }
    return switch storage(next, mounts, visited) {
    case .durable, .readOnly: .durable
    case .memory(let name): .overlay(changes: name)
    case .overlay(let changes): .overlay(changes: changes)
    }
  }

  /// Returns the index of the file system that contains a path; nil if there is none. If two file systems are mounted
  /// at the same folder, the later one is visible.
  private static func mount(of path: String, in mounts: [Mount]) -> Int? {
    mounts.indices.filter { mounts[$0].contains(path) }.max { left, right in
      (mounts[left].point.utf8.count, left) < (mounts[right].point.utf8.count, right)
    }
  }

  /// Returns the real path of a file. If the file does not exist, the result is the real path of the nearest existing
  /// folder above the file.
  private func existing(_ path: String) -> String {
    var next = path
    while true {
      if let file = tree.file(at: next) { return file.path }
      guard let slash = next.lastIndex(of: "/") else { return tree.file(at: ".")?.path ?? "/" }
      guard slash > next.startIndex else { return "/" }
      next = String(next[..<slash])
    }
  }
}
