/// A change to a file or a directory that tests can observe: a change by `AtomicFile`, or by the state store but not by
/// SQLite.
package enum FileStep: Hashable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  case allocate(String, count: Int)
  case synchronize(String)
  case link(from: String, to: String)
  case rename(from: String, to: String)
  case remove(String)
  case synchronizeDirectory(String)

  /// Reports this change to the test that observes file changes, if any. Throws if the test makes the change fail.
  package func announce() throws(SystemFailure) {
    guard let fault = FileObserver.present?.attempt(self), fault != 0 else { return }
    throw SystemFailure(number: fault)
  }
}

/// An observer of changes to files. Tests use it to simulate power losses and full disks.
package struct FileObserver: Sendable {
  /// The name of the SQLite VFS that reports the changes by SQLite; nil for the default VFS.
  package var vfs: String?
  /// Observes a change before it is made. The result is 0 to make the change, or the `errno` with which the change
  /// fails.
  package var attempt: @Sendable (FileStep) -> Int32

  package init(vfs: String? = nil, attempt: @escaping @Sendable (FileStep) -> Int32) {
    self.vfs = vfs
    self.attempt = attempt
  }

  /// The observer of the current task; nil except in tests.
  @TaskLocal package static var present: FileObserver?
}
