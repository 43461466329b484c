import Foundation
import Glibc

/// A local socket that receives datagrams.
final class DatagramReceiver: Sendable {
  private let descriptor: Int32

  /// - Parameter receive: Receives each datagram, on one thread.
  init(_ path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in unsafe field.copyBytes(from: bytes) }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let length = socklen_t(2 + bytes.count)
    // The pointer is valid during the call.
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw Child.Failure(number: errno) }
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
