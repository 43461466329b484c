import Configuration
import Decoding
import Hardware
import LinuxHardware
import NIOCore
import SimulatedHardware

extension ReceiverSpec {
  /// Opens the GNSS receiver that this specification describes.
  /// - Parameters:
  ///   - group: The event loops on which the receiver is read.
  ///   - requiresChecksum: Whether NMEA sentences without a checksum are ignored.
  ///   - wakeUp: The bytes to send to a receiver on a serial port that sends nothing.
  /// - Throws: `HardwareError` if the receiver cannot be opened.
  func source(
    on group: any EventLoopGroup, requiresChecksum: Bool, wakeUp: [UInt8]
  ) throws(HardwareError) -> ReceiverSource {
    switch self {
    case .simulated(let isCold, let seed, let rate):
      var settings = ReceiverSimulation.Settings()
      settings.isCold = isCold
      settings.seed = seed ?? settings.seed
      settings.rate = rate ?? settings.rate
      return .bytes(SimulatedReceiver(settings: settings))
    case .replay(let file, .times(let factor)): return .bytes(ReplayPort(path: file, speed: .factor(factor)))
    case .replay(let file, .unlimited): return .bytes(ReplayPort(path: file, speed: .unlimited))
    case .uart(let path, let baud):
      return .bytes(
        try UARTPort(path: path, speed: baud, requiresChecksum: requiresChecksum, wakeUp: wakeUp, group: group))
    case .i2c(let path, let address): return .bytes(I2CPort(path: path, address: address))
    case .gpsd(let host, let port): return .epochs(GPSDPort(host: host, port: port, group: group))
    }
  }
}

extension ReceiverSource {
  /// The port of the GNSS receiver chip (I2C, USB or the first UART) that probably leads to this machine. The gateway
  /// configures only this port of the chip.
  var receiverPort: ReceiverPort {
    guard case .bytes(let port) = self else { return .uart1 }
    if port is I2CPort { return .i2c }
    return (port as? UARTPort)?.isUSB ?? false ? .usb : .uart1
  }
}
