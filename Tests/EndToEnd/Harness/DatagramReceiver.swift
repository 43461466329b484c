import Foundation
import Glibc

/// A local socket that receives datagrams.
final class DatagramReceiver: Sendable {
  private let descriptor: Int32

  /// - Parameter receive: Receives each datagram, on one thread.
  init(_ path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    try RawSocket.bind(descriptor, to: path)
    Thread.detachNewThread { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // The count is that of the array.
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        receive(Array(buffer[..<count]))
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
