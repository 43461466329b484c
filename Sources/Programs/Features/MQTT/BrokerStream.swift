import Glibc
import OperatingSystem

/// The byte stream between libmosquitto and an MQTT broker, which limits the length of packets.
///
/// libmosquitto alone would read a packet of up to 256 MB into memory. The stream passes the broker's bytes to
/// libmosquitto in portions, and reports a packet that is too long.
///
/// To insert itself, the stream replaces libmosquitto's socket by one end of a socket pair, with the same descriptor
/// number. All bytes, also those of TLS, are copied between the other end and the broker.
final class BrokerStream {
  /// The maximum length of a packet from the broker in bytes. The stream needs this limit, because a client of MQTT
  /// 3.1.1 cannot announce a limit to the broker.
  static let longestPacket = 1 << 20
  /// The file descriptor of the connection to the broker.
  let broker: Int32
  /// The file descriptor of the stream's end of the socket pair.
  let inner: Int32
  private var portion = [UInt8](repeating: 0, count: 16_384)
  /// The bytes from libmosquitto that the connection to the broker has not accepted yet.
  private var outgoing: ArraySlice<UInt8> = []
  /// The count of bytes that libmosquitto received after its last complete packet.
  private var unfinished = 0

  /// Inserts a stream between libmosquitto and the broker, before libmosquitto has read from its socket. Throws an
  /// error if the process has no free file descriptors.
  init(at librarySocket: Int32) throws(SystemFailure) {
    broker = fcntl(librarySocket, F_DUPFD_CLOEXEC, 0)
    guard broker >= 0 else { throw SystemFailure(number: errno) }
    let outer: Int32
    do {
      (inner, outer) = try connectedSockets()
    } catch {
      close(broker)
      throw error
    }
    defer { close(outer) }
    guard dup2(outer, librarySocket) >= 0, fcntl(librarySocket, F_SETFD, FD_CLOEXEC) >= 0 else {
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

  /// Whether bytes from libmosquitto wait for the connection to the broker.
  var isFull: Bool { !outgoing.isEmpty }

  /// Whether libmosquitto is reading a packet that exceeds the maximum length.
  var isPacketTooLong: Bool { unfinished > Self.longestPacket }

  func notePacket() { unfinished = 0 }

  /// Passes the next bytes, or the end of the connection, from the broker to libmosquitto.
  func receive() {
    // SAFETY: the call writes at most `portion.count` bytes into the array `portion`.
    let count = unsafe recv(broker, &portion, portion.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    unfinished += max(0, count)
    // The write does not block: libmosquitto has read all earlier bytes, and a socket pair has room for more than one
    // portion.
    let written = count > 0 ? unsafe write(inner, portion, count) : 0
    if written <= 0 || written < count { shutdown(inner, Int32(SHUT_WR)) }
  }

  /// Sends libmosquitto's bytes to the broker until the connection accepts no more bytes.
  func send() {
    while true {
      if outgoing.isEmpty {
        // SAFETY: the call writes at most `portion.count` bytes into the array `portion`.
        let count = unsafe read(inner, &portion, portion.count)
        guard count > 0 else { return }
        outgoing = portion[..<count]
      }
      let sent = unsafe outgoing.withUnsafeBytes { bytes in
        unsafe Glibc.send(broker, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      guard sent >= 0 else {
        // The connection has ended. The next read reports the end.
        if errno != EAGAIN, errno != EINTR { outgoing = [] }
        return
      }
      outgoing.removeFirst(sent)
    }
  }
}
