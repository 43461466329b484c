import Glibc
import StoreScenario

/// The possible contents of the disk after a power loss.
struct PowerCut {
  private let changes: [Recording.Change]
  /// The number of finished steps of the scenario.
  let steps: Int
  /// The indices of the changes that may or may not have reached the disk.
  let pending: [Int]

  /// Creates the power loss after a number of changes.
  ///
  /// - Parameters:
  ///   - all: The changes of the whole scenario.
  ///   - count: The number of changes before the power loss.
  init(_ all: [Recording.Change], after count: Int) {
    changes = Array(all[..<count])
    steps = changes.count { $0 == .mark }
    var synchronized = Set<Int>()
    var directories = Set<String>()
    var pending: [Int] = []
    for (index, change) in changes.enumerated().reversed() {
      switch change {
      // The store checks reserved space whenever it needs the space.
      case .mark, .allocate: break
      case .synchronize(let file): synchronized.insert(file)
      case .synchronizeDirectory(let path): directories.insert(path)
      case .write(let file, _, _), .truncate(let file, _):
        if !synchronized.contains(file) { pending.append(index) }
      case .create(let path, _), .link(let path, _), .rename(_, let path, _), .remove(let path):
        if !directories.contains(PowerCut.directory(path)) { pending.append(index) }
      }
    }
    self.pending = pending.reversed()
  }

  /// Returns the files on the disk.
  ///
  /// - Parameter hasReached: Whether a pending change reached the disk.
  func files(where hasReached: (_ pending: Int) -> Bool) -> [String: [UInt8]] {
    var reached = [Bool](repeating: true, count: changes.count)
    for (number, index) in pending.enumerated() { reached[index] = hasReached(number) }
    var names: [String: Int] = [:]
    var contents: [Int: [UInt8]] = [:]
    for (index, change) in changes.enumerated() where reached[index] {
      switch change {
      case .create(let path, let file), .link(let path, let file): names[path] = file
      case .rename(let from, let to, let file):
        names[to] = file
        if names[from] == file { names[from] = nil }
      case .remove(let path): names[path] = nil
      case .write(let file, let offset, let bytes):
        var content = contents[file] ?? []
        contents[file] = nil
        if content.count < offset { content += [UInt8](repeating: 0, count: offset - content.count) }
        content.replaceSubrange(offset..<min(offset + bytes.count, content.count), with: bytes)
        contents[file] = content
      case .truncate(let file, let size):
        var content = contents[file] ?? []
        content = Array(content.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - content.count))
        contents[file] = content
      case .allocate, .synchronize, .synchronizeDirectory, .mark: break
      }
    }
    return names.mapValues { contents[$0] ?? [] }
  }

  private static func directory(_ path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }
}

/// A temporary directory, in memory if possible, because it is used for a short time only.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = [CChar]("\(parent)/onefix-durability-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Recording.Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the directory. Callers use it explicitly: with a `deinit`, the directory could be removed after the last
  /// use of the variable, while its files are still open.
  func remove() { shell("rm -rf '\(path)'") }

  /// Replaces all files in the directory by those of another directory.
  func put(_ files: [String: [UInt8]], from source: String) throws {
    for name in [
      "state/onefix.sqlite", "state/onefix.sqlite-wal", "state/onefix.sqlite-shm", "state/onefix.sqlite-journal",
      "state/onefix.lock",
      "state/onefix.reserve", "anchor", "anchor.new", "device.key",
    ] {
      _ = unsafe unlink("\(path)/\(name)")
    }
    _ = unsafe mkdir(path + "/state", 0o700)
    for (name, bytes) in files where name.hasPrefix(source) {
      // The reserve contains no data.
      if name.hasSuffix("/onefix.reserve") { continue }
      let file = unsafe open(path + name.dropFirst(source.count), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      guard file >= 0 else { throw Recording.Failure(code: errno) }
      defer { close(file) }
      guard unsafe write(file, bytes, bytes.count) == bytes.count else { throw Recording.Failure(code: errno) }
    }
  }
}
