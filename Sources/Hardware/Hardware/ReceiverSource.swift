package import Base
package import GNSS

/// Data of a satellite receiver: raw bytes, or a decoded epoch (all data of one instant).
package enum ReceiverData: Sendable {
  case bytes([UInt8], at: MonotonicInstant)
  /// An epoch (all data of one instant) that another program, such as gpsd, has decoded.
  case epoch(Epoch)
}

/// A port that delivers the data of a satellite receiver, as bytes or as decoded epochs (an epoch is all data of one
/// instant).
package enum ReceiverSource: Sendable {
  case bytes(any BytePort)
  case epochs(any EpochPort)

  package var name: String {
    switch self {
    case .bytes(let port): port.name
    case .epochs(let port): port.name
    }
  }

  /// The port as a `DeviceReader`, with which a caller can check that the port's thread does not hang.
  package var reader: any DeviceReader {
    switch self {
    case .bytes(let port): port
    case .epochs(let port): port
    }
  }

  /// The port for commands to the receiver; nil if the port cannot send.
  package var commandPort: (any CommandPort)? {
    switch self {
    case .bytes(let port): port as? any CommandPort
    case .epochs: nil
    }
  }

  package var isLive: Bool {
    switch self {
    case .bytes(let port): port.isLive
    case .epochs(let port): port.isLive
    }
  }
}
