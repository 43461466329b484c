import Glibc
import StoreScenario

/// What may be on the disk after a power cut.
struct PowerCut {
  private let changes: [Recording.Change]
  /// Steps of the scenario that were over.
  let steps: Int
  /// Those of the changes of which nobody knows whether they reached the disk.
  let pending: [Int]

  /// - Parameter count: after so many changes.
  init(_ all: [Recording.Change], after count: Int) {
    changes = Array(all[..<count])
    steps = changes.count { $0 == .mark }
    var synchronized = Set<Int>()
    var directories = Set<String>()
    var pending: [Int] = []
    for (index, change) in changes.enumerated().reversed() {
      switch change {
      // Room that is set aside is looked at when it is needed.
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

  /// The files there are where, of the pending changes, only some reached the disk.
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

/// A directory in memory where there is one, since what is put there is soon removed.
final class Place: Sendable {
  let path: String

  init() throws {
    let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = [CChar]("\(parent)/onefix-durability-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Recording.Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// To be said when it is over: a place that ended with its last mention would be gone while its files are in use.
  func remove() { shell("rm -rf '\(path)'") }

  /// Puts files there, in the place of all that were, under other names of their directories.
  func put(_ files: [String: [UInt8]], from source: String) throws {
    for name in [
      "state/onefix.sqlite", "state/onefix.sqlite-wal", "state/onefix.sqlite-shm", "state/onefix.lock",
      "state/onefix.reserve", "anchor", "anchor.new", "device.key",
    ] {
      _ = unsafe unlink("\(path)/\(name)")
    }
    _ = unsafe mkdir(path + "/state", 0o700)
    for (name, bytes) in files where name.hasPrefix(source) {
      // Its room is as good as any.
      if name.hasSuffix("/onefix.reserve") { continue }
      let file = unsafe open(path + name.dropFirst(source.count), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      guard file >= 0 else { throw Recording.Failure(code: errno) }
      defer { close(file) }
      guard unsafe write(file, bytes, bytes.count) == bytes.count else { throw Recording.Failure(code: errno) }
    }
  }
}
