package import Hardware
package import LineProtocol
import NIOPosix

/// Shows pictures on a display. A test or a terminal can take the place of the display.
package protocol DisplayOutput: Sendable {
  /// Whether each picture is acknowledged and a person can read it. If not, the gateway does not hear that a prompt (a
  /// question to the user) was shown.
  var isAcknowledged: Bool { get }

  /// Shows a picture; nil switches the display off. The function returns when the display has acknowledged all bytes.
  func show(_ picture: Picture?) async throws
}

/// An OLED display on an I2C bus. A thread of its own writes to the bus, because a write blocks.
package struct ModuleOutput: DisplayOutput {
  package var isAcknowledged: Bool { true }
  private let port: any DisplayPort
  private let controller: DisplayController

  package init(_ module: DisplayModule, _ port: any DisplayPort) {
    self.port = port
    controller = DisplayController(module)
  }

  package func show(_ picture: Picture?) async throws {
    let transactions = picture.map { controller.transactions(showing: $0) } ?? controller.off
    let result = try await NIOThreadPool.singleton.runIfActive { [port] in
      Result { () throws(HardwareError) in
        for transaction in transactions { try port.write(transaction) }
      }
    }
    try result.get()
  }
}
