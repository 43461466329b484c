/// The notification socket of a service manager. One datagram has one message, with `\n` between its lines.
final class NotifySocket: Sendable {
  let path: String
  let received = Observed(TextOutput())
  private let socket: DatagramReceiver

  init(in folder: Folder) throws {
    path = folder.path("notify")
    socket = try DatagramReceiver(path) { [received] bytes in
      let message = String(decoding: bytes, as: UTF8.self).replacing("\n", with: "\\n")
      received.change { $0.append(Array("\(message)\n".utf8)) }
    }
  }

  /// Returns how often a message was received.
  func count(of message: String) -> Int { received.value.lines.count { $0 == message } }
}
