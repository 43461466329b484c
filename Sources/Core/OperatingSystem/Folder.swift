import Glibc

/// Functions that read directories of the operating system, such as `/dev`.
package enum Folder {
  /// Returns the sorted names in a directory; empty if the directory cannot be read.
  package static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      // The name is zero-terminated and valid until the next call. It is not copied as an array, because the declared
      // array may be longer than the actual entry.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
