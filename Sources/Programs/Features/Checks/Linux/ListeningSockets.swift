import Base
import Configuration
import Glibc
import OperatingSystem

/// Finds the processes that listen on network addresses and Unix sockets.
extension MachineReader {
  /// Returns the running processes of a program, by the name of the program.
  func processes(of program: String) -> [Machine.Process] {
    processes.filter { $0.name == program }.map { Machine.Process(pid: $0.pid, name: $0.name) }
  }

  /// Returns whether a network address or a Unix socket is in use, and by which processes. The port 0 (any free port)
  /// is never in use.
  func listeningAddress(_ endpoint: ListenEndpoint) -> Machine.ListeningAddress {
    switch endpoint {
    case .address(let host, let port): listeningAddress(port == 0 ? [] : listeners(on: host, port))
    case .socket(let path): listeningAddress(listeners(at: path))
    }
  }

  /// Returns the use of an address, with all processes that have its sockets open, except this process.
  /// - Parameter inodes: The inodes of the sockets that listen on the address.
  private func listeningAddress(_ inodes: [String]) -> Machine.ListeningAddress {
    var address = Machine.ListeningAddress()
    let sockets = inodes.map { "socket:[\($0)]" }
    address.isInUse = !sockets.isEmpty
    guard address.isInUse else { return address }
    address.holders = processes.filter { process in
      process.pid != Int(getpid()) && !Set(openFiles(of: process.pid)).isDisjoint(with: sockets)
    }.map { Machine.Process(pid: $0.pid, name: $0.name) }
    return address
  }

  /// Returns the inodes of the TCP sockets that listen on an address and port.
  ///
  /// A socket on the wildcard address counts for every address, and any socket with the port counts for the wildcard
  /// address. In /proc/net/tcp, field 2 of a text line is the local address, field 4 is the state (0A: listening), and
  /// field 10 is the inode. (proc(5))
  private func listeners(on host: String, _ port: Int) -> [String] {
    let ending = ":" + port.digits(4, radix: 16).uppercased()
    let own = Self.kernelText(of: host)
    let isAny = own.allSatisfy { $0 == "0" }
    return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { file in
      (tree.text(of: file) ?? "").split(separator: "\n").compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard words.count > 9, words[3] == "0A", words[1].hasSuffix(ending) else { return nil }
        let local = words[1].dropLast(ending.count)
        return isAny || local == own || local.allSatisfy { $0 == "0" } ? String(words[9]) : nil
      }
    }
  }

  /// Returns the inodes of the Unix sockets that listen at a path. In /proc/net/unix, field 4 of a text line has the
  /// flag 0x10000 of a listening socket. Field 7 is the inode, and the rest is the path. (proc(5))
  private func listeners(at path: String) -> [String] {
    (tree.text(of: "/proc/net/unix") ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 7)
      guard words.count == 8, words[7] == path, let flags = UInt32(words[3], radix: 16), flags & 0x10000 != 0
      else { return nil }
      return String(words[6])
    }
  }

  /// Returns an IP address as hexadecimal digits in the format of /proc/net/tcp and /proc/net/tcp6: words of 32 bits in
  /// the machine's byte order. The result is empty if the text is not an IP address.
  private static func kernelText(of host: String) -> String {
    guard let bytes = IPAddress.ipv4(host) ?? IPAddress.ipv6(host) else { return "" }
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      let word = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return word.bigEndian.digits(8, radix: 16).uppercased()
    }.joined()
  }
}
