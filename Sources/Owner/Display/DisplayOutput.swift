package import Hardware
package import LineProtocol
import NIOPosix

/// A display that shows pictures, or a replacement of the display for a test or on a terminal.
package protocol DisplayOutput: Sendable {
  /// Whether the display acknowledges each picture, and a person can read the picture. If false, the program does not
  /// tell the gateway which prompts (questions to the user) were shown.
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
