/// A change to a file or a directory by this module, except changes by SQLite.
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
  func announce(_ operation: String, _ object: String, remedy: String? = nil) throws(StoreError) {
    guard let fault = FileWitness.present?.attempt(self), fault != 0 else { return }
    throw StoreError(operation, object, errno: fault, remedy: remedy)
  }
}

/// An observer of changes to the files of the store, the device key and the anchor. Tests use it to simulate power
/// losses and full disks.
package struct FileWitness: Sendable {
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
  @TaskLocal package static var present: FileWitness?
}
