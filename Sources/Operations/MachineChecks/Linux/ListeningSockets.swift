import Encoding
import Glibc

/// Finds the processes that listen on the addresses of the gateway's listeners.
extension MachineReader {
  /// All running gpsd processes.
  var gpsdProcesses: [Machine.Process] {
    processes.filter { $0.name == "gpsd" }.map { Machine.Process(pid: $0.pid, name: $0.name) }
  }

  /// Returns the state of a network address. Port 0 means any free port, which is not in use.
  func listeningAddress(_ host: String, _ port: Int) -> Machine.ListeningAddress {
    var address = Machine.ListeningAddress()
    let sockets = port == 0 ? [] : listeners(on: host, port).map { "socket:[\($0)]" }
    address.isInUse = !sockets.isEmpty
    guard address.isInUse else { return address }
    address.holders = processes.filter { process in
      process.pid != Int(getpid()) && !Set(openFiles(of: process.pid)).isDisjoint(with: sockets)
    }.map { Machine.Process(pid: $0.pid, name: $0.name) }
    return address
  }

  /// Returns the inodes of the sockets that listen on an address, or on all addresses of the machine. In /proc/net/tcp,
  /// field 2 of a line is the local address, field 4 is the state (0A: listening), and field 10 is the inode. (proc(5))
  private func listeners(on host: String, _ port: Int) -> [String] {
    let ending = ":" + port.digits(4, radix: 16).uppercased()
    let own = Self.kernelText(of: host)
    return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { file in
      (tree.text(of: file) ?? "").split(separator: "\n").compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard words.count > 9, words[3] == "0A", words[1].hasSuffix(ending) else { return nil }
        let local = words[1].dropLast(ending.count)
        return local == own || local.allSatisfy { $0 == "0" } ? String(words[9]) : nil
      }
    }
  }

  /// Returns an address in the format of /proc/net/tcp and /proc/net/tcp6: 32-bit words in the byte order of the
  /// machine.
  private static func kernelText(of host: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let isIPv6 = host.contains(":")
    // SAFETY: the array is large enough for an IPv4 address and for an IPv6 address.
    guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return "" }
    return stride(from: 0, to: isIPv6 ? 16 : 4, by: 4).map { start in
      let word = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return word.bigEndian.digits(8, radix: 16).uppercased()
    }.joined()
  }
}
