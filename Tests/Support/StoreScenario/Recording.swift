import CRecordingVFS
import Glibc
import OperatingSystem
import StateStore
import Synchronization

/// A record of every change to files, in order.
package final class Recording: Sendable {
  /// A change. Files have numbers, because their names change.
  package enum Change: Hashable, Sendable {
    case create(String, file: Int)
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    /// An allocation of blocks without content.
    case allocate(file: Int, size: Int)
    case link(String, file: Int)
    case rename(from: String, to: String, file: Int)
    case remove(String)
    case synchronize(file: Int)
    case synchronizeDirectory(String)
    /// The end of a step of the scenario.
    case mark
  }

  private struct State {
    var changes: [Change] = []
    var files: [String: Int] = [:]
    var count = 0
    /// The files that SQLite has created and not yet synchronized.
    var made = Set<Int>()

    mutating func file(_ path: String) -> Int {
      if let file = files[path] { return file }
      count += 1
      files[path] = count
      return count
    }
  }

  private let state = Mutex(State())
  /// Decides each change before it is made. Any value except 0 fails the change: a code of SQLite for a change by
  /// SQLite, otherwise an `errno`.
  private let judge: @Sendable (Change, _ path: String, _ isSQLite: Bool) -> Int32
  private let name: String

  /// - Throws: An error if SQLite cannot register a VFS of that name.
  package init(
    _ name: String, judge: @escaping @Sendable (Change, String, Bool) -> Int32 = { _, _, _ in 0 }
  ) throws {
    self.name = "recording-\(name)"
    self.judge = judge
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe onefix_vfs_register(
      self.name,
      { context, change, path, offset, bytes, count in
        guard let context = unsafe context, let path = unsafe path else { return 0 }
        // The recording exists longer than the registration.
        let recording = unsafe Unmanaged<Recording>.fromOpaque(context).takeUnretainedValue()
        let content = unsafe bytes.map { unsafe [UInt8](UnsafeRawBufferPointer(start: $0, count: Int(count))) } ?? []
        return recording.hear(change, unsafe String(cString: path), Int(offset), content)
      }, context)
    guard result == 0 else { throw Failure(code: result) }
  }

  deinit { unsafe onefix_vfs_unregister(name) }

  package var changes: [Change] { state.withLock { $0.changes } }

  package func mark() { state.withLock { $0.changes.append(.mark) } }

  /// Records all changes that the body makes with a store. SQLite's changes are recorded as long as the store is open,
  /// so the recording must exist longer than the store.
  package func record<Result>(_ body: () throws -> Result) throws -> Result {
    try FileObserver.$present.withValue(FileObserver(vfs: name) { self.hear($0) }) { try body() }
  }

  package struct Failure: Error {
    package var code: Int32

    package init(code: Int32) { self.code = code }
  }

  /// Records a change by SQLite.
  private func hear(_ change: Int32, _ path: String, _ offset: Int, _ bytes: [UInt8]) -> Int32 {
    switch Int(change) {
    case Int(ONEFIX_VFS_CREATE.rawValue):
      take(path, true) { state in
        state.made.insert(state.file(path))
        return .create(path, file: state.file(path))
      }
    case Int(ONEFIX_VFS_WRITE.rawValue): take(path, true) { .write(file: $0.file(path), offset: offset, bytes: bytes) }
    case Int(ONEFIX_VFS_TRUNCATE.rawValue): take(path, true) { .truncate(file: $0.file(path), size: offset) }
    case Int(ONEFIX_VFS_SYNC.rawValue): synchronize(path)
    default: remove(path, true, andSynchronize: offset == 1)
    }
  }

  /// With the first synchronization of a journal or WAL that SQLite created, it also synchronizes the directory.
  /// (os_unix.c, `UNIXFILE_DIRSYNC`)
  private func synchronize(_ path: String) -> Int32 {
    let result = take(path, true) { .synchronize(file: $0.file(path)) }
    let isNew = state.withLock { state in state.files[path].map { state.made.remove($0) != nil } ?? false }
    return result == 0 && isNew ? synchronizeDirectory(of: path) : result
  }

  private func synchronizeDirectory(of path: String) -> Int32 {
    guard let slash = path.lastIndex(of: "/") else { return 0 }
    return take(path, true) { _ in .synchronizeDirectory(String(path[..<slash])) }
  }

  /// Records a change by the store itself.
  private func hear(_ step: FileStep) -> Int32 {
    switch step {
    case .create(let path): take(path, false) { .create(path, file: $0.file(path)) }
    case .write(let path, let offset, let bytes):
      take(path, false) { .write(file: $0.file(path), offset: offset, bytes: bytes) }
    case .allocate(let path, let count): take(path, false) { .allocate(file: $0.file(path), size: count) }
    case .synchronize(let path): take(path, false) { .synchronize(file: $0.file(path)) }
    case .link(let from, let to):
      take(to, false) { state in
        let file = state.file(from)
        state.files[to] = file
        return .link(to, file: file)
      }
    case .rename(let from, let to):
      take(to, false) { state in
        let file = state.file(from)
        state.files[from] = nil
        state.files[to] = file
        return .rename(from: from, to: to, file: file)
      }
    case .remove(let path): remove(path, false, andSynchronize: false)
    case .synchronizeDirectory(let path): take(path, false) { _ in .synchronizeDirectory(path) }
    }
  }

  private func remove(_ path: String, _ isSQLite: Bool, andSynchronize: Bool) -> Int32 {
    let result = take(path, isSQLite) { state in
      // A new file with this name is a different file.
      state.files[path] = nil
      return .remove(path)
    }
    return result == 0 && andSynchronize ? synchronizeDirectory(of: path) : result
  }

  private func take(_ path: String, _ isSQLite: Bool, _ change: (inout State) -> Change) -> Int32 {
    state.withLock { state in
      var next = state
      let change = change(&next)
      let verdict = judge(change, path, isSQLite)
      guard verdict == 0 else { return verdict }
      state = next
      state.changes.append(change)
      return 0
    }
  }
}
