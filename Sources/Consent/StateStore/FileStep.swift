/// A change to a file or a directory that this module makes itself; SQLite makes its own.
package enum FileStep: Hashable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  /// Blocks are set aside for so many bytes.
  case allocate(String, count: Int)
  case synchronize(String)
  case link(from: String, to: String)
  case rename(from: String, to: String)
  case remove(String)
  case synchronizeDirectory(String)

  /// Says that the step is about to be taken.
  /// - Throws: `StoreError` where somebody made it fail.
  func announce(_ operation: String, _ object: String, remedy: String? = nil) throws(StoreError) {
    guard let fault = FileWitness.present?.attempt(self), fault != 0 else { return }
    throw StoreError(operation, object, errno: fault, remedy: remedy)
  }
}

/// Sees every change that a store, its key and its anchor make to files, in their order: tests cut the power and fill
/// the disk with it.
package struct FileWitness: Sendable {
  /// The name of the SQLite VFS that tells of what SQLite does; nil for the system's.
  package var vfs: String?
  /// Hears of a step before it is taken. Any number but 0 fails it, as `errno`.
  package var attempt: @Sendable (FileStep) -> Int32

  package init(vfs: String? = nil, attempt: @escaping @Sendable (FileStep) -> Int32) {
    self.vfs = vfs
    self.attempt = attempt
  }

  /// Nil except in tests.
  @TaskLocal package static var present: FileWitness?
}
