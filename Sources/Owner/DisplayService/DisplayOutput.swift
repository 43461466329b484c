package import Hardware
package import LineProtocol
import NIOPosix

/// A display, or a replacement for one.
package protocol DisplayOutput: Sendable {
  /// Whether a person can read the frames, and each frame is acknowledged. Only then the gateway learns of the frames.
  var isAcknowledged: Bool { get }

  /// Shows a picture, or switches the display off. Returns when the display has acknowledged all bytes.
  func show(_ picture: Picture?) async throws
}

/// A display module on an I2C bus. Transactions block, so a separate thread performs them.
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
