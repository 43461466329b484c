/// A change that this module makes to a file or a directory. Changes by SQLite are not included.
package enum FileStep: Hashable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  /// The change reserves disk blocks for a number of bytes of a file.
  case allocate(String, count: Int)
  case synchronize(String)
  case link(from: String, to: String)
  case rename(from: String, to: String)
  case remove(String)
  case synchronizeDirectory(String)

  /// Reports this change to the test that observes file changes, if such a test is running.
  ///
  /// - Throws: `StoreError` if the test makes the change fail.
  func announce(_ operation: String, _ object: String, remedy: String? = nil) throws(StoreError) {
    guard let fault = FileWitness.present?.attempt(self), fault != 0 else { return }
    throw StoreError(operation, object, errno: fault, remedy: remedy)
  }
}

/// An observer of changes to the files of the store, to the file of the device key and to the file of the log's anchor.
/// Tests use an observer to simulate power losses and full disks.
package struct FileWitness: Sendable {
  /// The name of the SQLite VFS that reports the changes by SQLite; nil for the default VFS.
  package var vfs: String?
  /// Observes a change before the module makes the change. If the result is 0, the module makes the change. Otherwise
  /// the change fails, and the result is the `errno` of the failure.
  package var attempt: @Sendable (FileStep) -> Int32

  package init(vfs: String? = nil, attempt: @escaping @Sendable (FileStep) -> Int32) {
    self.vfs = vfs
    self.attempt = attempt
  }

  /// The observer of the current task; nil except in tests.
  @TaskLocal package static var present: FileWitness?
}
