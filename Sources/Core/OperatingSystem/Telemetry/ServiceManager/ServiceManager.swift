import Base

/// A connection to the service manager (systemd), which receives messages about the state of the daemon. (sd_notify(3))
package struct ServiceManager: Sendable {
  /// The name of the service manager's socket; nil if no service manager started this process.
  private let socketName: String?

  package init(socketName: String?) {
    self.socketName = socketName
  }

  /// The connection to the service manager that started this process, by the variable `$NOTIFY_SOCKET`.
  package static var own: ServiceManager {
    ServiceManager(socketName: environmentVariable("NOTIFY_SOCKET"))
  }

  package var isAvailable: Bool { socketName != nil }

  /// Sends a message without waiting. Returns whether the message was sent; false if there is no service manager, or if
  /// its socket has no room.
  @discardableResult
  package func notify(_ message: String) -> Bool {
    guard let socket = socketName.flatMap({ DatagramSocket($0) }) else { return false }
    return socket.send(Array(message.utf8)) == .sent
  }

  /// Sends a message, and waits until the service manager's socket has room. If the task is cancelled, the message is
  /// not sent.
  package func notifyReliably(_ message: String) async {
    guard let socket = socketName.flatMap({ DatagramSocket($0) }) else { return }
    while socket.send(Array(message.utf8)) == .full {
      do { try await SystemClock.sleep(until: SystemClock.monotonic + Self.pause) } catch { return }
    }
  }

  private static let pause = Duration.milliseconds(10)
}
