import Glibc

/// What the system says of an error number, in lower case, as in `no such file or directory`.
package func systemErrorText(_ number: Int32) -> String {
  // The buffer outlives the call, which ends the text inside it. (The POSIX variant, which returns a number.)
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, unsafe strerror_r(number, base, buffer.count) == 0 else {
      return "error \(number)"
    }
    return unsafe String(cString: base).lowercased()
  }
}
