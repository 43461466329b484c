import Glibc

/// A folder of the system, such as `/dev`.
package enum Folder {
  /// The names in a folder, in their order; none where it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      // The name is ended by zero inside its array, and good until the next call. The array is longer than the entry
      // may be, and not to be copied.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
