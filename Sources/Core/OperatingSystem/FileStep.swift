/// A change of a file or a directory, which tests can observe. `AtomicFile` and the state store report their changes.
/// Changes by SQLite are not included.
package enum FileStep: Hashable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  case allocate(String, count: Int)
  case synchronize(String)
  case link(from: String, to: String)
  case rename(from: String, to: String)
  case remove(String)
  case synchronizeDirectory(String)

  /// Reports this change to the observer of the present task (only in tests). Throws an error if the observer makes the
  /// change fail.
  package func announce() throws(SystemFailure) {
    guard let fault = FileObserver.present?.attempt(self), fault != 0 else { return }
    throw SystemFailure(number: fault)
  }
}

/// An observer of changes of files. Tests use an observer to simulate power losses and full disks.
package struct FileObserver: Sendable {
  /// The name of the SQLite VFS (virtual file system) that reports the changes by SQLite; nil for the default VFS.
  package var vfs: String?
  /// A function that is called before each change. A result of 0 allows the change. Any other result is the error
  /// number (`errno`) with which the change fails.
  package var attempt: @Sendable (FileStep) -> Int32

  package init(vfs: String? = nil, attempt: @escaping @Sendable (FileStep) -> Int32) {
    self.vfs = vfs
    self.attempt = attempt
  }

  /// The observer of file changes in the current task; nil except in tests.
  @TaskLocal package static var present: FileObserver?
}
