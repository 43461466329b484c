import Glibc

/// The error of a failed system call.
package struct SystemFailure: Error, Hashable, Sendable {
  /// The error number (`errno`) of the system call.
  package let number: Int32

  package init(number: Int32) { self.number = number }
}

/// Returns the C library's message for an error number in lower case, for example `no such file or directory`.
package func systemErrorText(_ number: Int32) -> String {
  // The string is copied before the buffer is freed. This is the POSIX variant of `strerror_r`, which returns an error
  // number.
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, unsafe strerror_r(number, base, buffer.count) == 0 else {
      return "error \(number)"
    }
    return unsafe String(cString: base).lowercased()
  }
}
