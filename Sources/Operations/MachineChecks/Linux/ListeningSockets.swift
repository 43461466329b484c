import Glibc

/// Who listens where clients of gpsd look for one, and where the page is to be.
extension MachineReader {
  func gpsdAddress(_ host: String, _ port: Int) -> Machine.GPSDAddress {
    var address = Machine.GPSDAddress()
    let sockets = listeners(on: host, port)
    address.isTaken = !sockets.isEmpty
    for process in processes where process.pid != Int(getpid()) {
      let known = Machine.Process(pid: process.pid, name: process.name)
      if process.name == "gpsd" { address.others.append(known) }
      if sockets.contains(where: { isOpen("socket:[\($0)]", in: process.pid) }) { address.holders.append(known) }
    }
    return address
  }

  /// Who listens where the owners' page is to be. Port 0 is any that is free.
  func pageAddress(_ port: Int) -> Machine.PageAddress {
    var address = Machine.PageAddress()
    let sockets = port == 0 ? [] : listeners(on: "127.0.0.1", port)
    address.isTaken = !sockets.isEmpty
    guard address.isTaken else { return address }
    address.holders = processes.filter { process in
      process.pid != Int(getpid()) && sockets.contains { isOpen("socket:[\($0)]", in: process.pid) }
    }.map { Machine.Process(pid: $0.pid, name: $0.name) }
    return address
  }

  /// The inodes of sockets that listen on an address, or on all of them. (proc(5), /proc/net/tcp: local address, state 0A,
  /// inode in the tenth place)
  private func listeners(on host: String, _ port: Int) -> [String] {
    let digits = String(port, radix: 16, uppercase: true)
    let ending = ":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
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

  /// An address as the kernel's tables have it: words of 32 bits, each as this machine reads it from memory.
  private static func kernelText(of host: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let isIPv6 = host.contains(":")
    // An address of the family has no more bytes.
    guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return "" }
    return stride(from: 0, to: isIPv6 ? 16 : 4, by: 4).map { start in
      let word = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let digits = String(word.bigEndian, radix: 16, uppercase: true)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}
