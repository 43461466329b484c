import Glibc

/// A pair of connected sockets with which one thread wakes another thread that waits with poll(2).
package final class WakeSocket: Sendable {
  /// The descriptor that a waiting thread passes to poll(2). A call of `wake` makes the descriptor readable.
  package let descriptor: Int32
  private let writing: Int32

  package init() throws(SystemFailure) {
    (descriptor, writing) = try connectedSockets()
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  package func wake() {
    // The write fails only if the socket is full. In that case, the bytes already in the socket wake the thread.
    _ = unsafe write(writing, [1], 1)
  }

  /// Reads and discards the bytes that `wake` has written, so that the next poll(2) waits again.
  package func drain() { discardInput(of: descriptor) }
}

/// Returns the descriptors of two connected stream sockets. Both sockets are nonblocking.
package func connectedSockets() throws(SystemFailure) -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
  guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure(number: errno) }
  return (ends[0], ends[1])
}

package func discardInput(of descriptor: Int32) {
  var bytes = [UInt8](repeating: 0, count: 4096)
  // SAFETY: the call writes at most `bytes.count` bytes into the array `bytes`.
  while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
}
