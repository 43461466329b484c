import Clocks
import FoundationEssentials
import OperatingSystem

/// The service manager, which wants to hear how a service is. (systemd: sd_notify(3))
package struct ServiceManager: Sendable {
  /// The name of its socket; nil where there is none.
  private let socketName: String?

  package init(socketName: String?) {
    self.socketName = socketName
  }

  /// The one that has started this process.
  package static var own: ServiceManager {
    ServiceManager(socketName: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
  }

  package var isThere: Bool { socketName != nil }

  /// Says it where one listens; nothing happens where none does, or where there is no room for it: of a status another
  /// follows.
  /// - Returns: whether it was taken.
  @discardableResult
  package func notify(_ message: String) -> Bool {
    guard let socket = socketName.flatMap({ DatagramSocket($0) }) else { return false }
    return socket.send(Array(message.utf8)) == .sent
  }

  /// The same for what is said once: it waits for its room, unless the surrounding task is cancelled. No thread waits.
  package func insist(_ message: String) async {
    guard let socket = socketName.flatMap({ DatagramSocket($0) }) else { return }
    while socket.send(Array(message.utf8)) == .full {
      do { try await SystemClock.sleep(until: SystemClock.monotonic + Self.pause) } catch { return }
    }
  }

  private static let pause = Duration.milliseconds(10)
}
