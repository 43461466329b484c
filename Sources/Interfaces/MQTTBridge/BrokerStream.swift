import Glibc

/// The byte stream between libmosquitto and a broker. The library reads a packet of any length, up to 256 MB, into memory;
/// here the library gets the broker's bytes in portions, and no more once a packet is too long.
///
/// The library's socket is replaced by one end of a pair of sockets, under the same descriptor: what it reads and writes,
/// TLS included, goes through the other end.
final class BrokerStream {
  /// Bytes of a packet that are read at most. A broker of MQTT 3.1.1 cannot be told of a limit.
  static let longestPacket = 1 << 20
  /// The connection to the broker.
  let broker: Int32
  /// The other end of the library's socket.
  let inner: Int32
  /// Room for the bytes that the library is given, or has written, at once.
  private var portion = [UInt8](repeating: 0, count: 16_384)
  /// What the library has written, and the broker has not taken.
  private var outgoing: ArraySlice<UInt8> = []
  /// Bytes that the library was given since its last complete packet.
  private var unfinished = 0

  /// Takes the place of the broker at a socket of the library, before the library has read from it.
  /// - Throws: `SystemFailure` if there are no descriptors left.
  init(at librarySocket: Int32) throws(SystemFailure) {
    broker = fcntl(librarySocket, F_DUPFD_CLOEXEC, 0)
    guard broker >= 0 else { throw SystemFailure(number: errno) }
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      let number = errno
      close(broker)
      throw SystemFailure(number: number)
    }
    inner = ends[0]
    defer { close(ends[1]) }
    guard dup2(ends[1], librarySocket) >= 0, fcntl(librarySocket, F_SETFD, FD_CLOEXEC) >= 0 else {
      let number = errno
      close(broker)
      close(inner)
      throw SystemFailure(number: number)
    }
  }

  deinit {
    close(broker)
    close(inner)
  }

  /// Whether the broker has yet to take what the library has written.
  var isFull: Bool { !outgoing.isEmpty }

  /// Whether the library waits for the rest of a packet that is longer than any may be.
  var isPacketTooLong: Bool { unfinished > Self.longestPacket }

  /// Notes that the library has read a packet to its end.
  func notePacket() { unfinished = 0 }

  /// Gives the library the next bytes of the broker, or the end of the connection.
  func receive() {
    // The kernel writes no more than the array has.
    let count = unsafe recv(broker, &portion, portion.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    unfinished += max(0, count)
    // The library has read all that came before, and a pair of sockets has room for more than a portion.
    let written = count > 0 ? unsafe write(inner, portion, count) : 0
    if written <= 0 || written < count { shutdown(inner, Int32(SHUT_WR)) }
  }

  /// Sends the broker what the library has written, as far as the broker takes it.
  func send() {
    while true {
      if outgoing.isEmpty {
        // The kernel writes no more than the array has.
        let count = unsafe read(inner, &portion, portion.count)
        guard count > 0 else { return }
        outgoing = portion[..<count]
      }
      let sent = unsafe outgoing.withUnsafeBytes { bytes in
        unsafe Glibc.send(broker, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      guard sent >= 0 else {
        // Reading tells that the connection has ended.
        if errno != EAGAIN, errno != EINTR { outgoing = [] }
        return
      }
      outgoing.removeFirst(sent)
    }
  }
}

/// Why the system refuses something.
struct SystemFailure: Error {
  let number: Int32
}
