import Glibc
import OperatingSystem

/// A byte stream between libmosquitto and an MQTT broker that limits the length of received packets.
///
/// libmosquitto alone would read a packet of up to 256 MB into memory. The stream copies the broker's bytes to
/// libmosquitto in portions, and detects a packet that is too long.
///
/// The stream replaces libmosquitto's socket by one end of a socket pair, with the same descriptor number. The stream
/// copies all bytes, also those of TLS, between the other end and the broker's socket.
final class BrokerStream {
  /// The maximum length of a packet from the broker, in bytes. A client with MQTT 3.1.1 cannot announce a maximum to
  /// the broker.
  static let longestPacket = 1 << 20
  let broker: Int32
  /// The file descriptor of this object's end of the socket pair; libmosquitto has the other end.
  let inner: Int32
  private var portion = [UInt8](repeating: 0, count: 16_384)
  /// The bytes of libmosquitto that are not yet sent to the broker.
  private var outgoing: ArraySlice<UInt8> = []
  /// The count of bytes from the broker since the last complete packet.
  private var unfinished = 0

  /// Replaces libmosquitto's socket by a socket pair, before libmosquitto has read any byte.
  /// - Parameter librarySocket: The descriptor of libmosquitto's connection to the broker.
  /// - Throws: `SystemFailure` if the process has no free file descriptors.
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

  /// Whether libmosquitto has bytes that are not yet sent, because the broker's socket accepts no more bytes.
  var isFull: Bool { !outgoing.isEmpty }

  /// Whether the broker is sending a packet that is longer than `longestPacket`.
  var isPacketTooLong: Bool { unfinished > Self.longestPacket }

  func notePacket() { unfinished = 0 }

  /// Copies the next bytes from the broker to libmosquitto. At the end of the connection, the function closes
  /// libmosquitto's input.
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

  /// Copies bytes from libmosquitto to the broker until the broker's socket accepts no more bytes.
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
