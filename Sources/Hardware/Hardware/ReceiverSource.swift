package import Base
package import GNSS

/// Data of a receiver.
package enum ReceiverData: Sendable {
  case bytes([UInt8], at: MonotonicInstant)
  /// An epoch that another program decoded.
  case epoch(Epoch)
}

/// A source of receiver data.
package enum ReceiverSource: Sendable {
  case bytes(any BytePort)
  case epochs(any EpochPort)

  package var name: String {
    switch self {
    case .bytes(let port): port.name
    case .epochs(let port): port.name
    }
  }

  /// The port of the source, for the check that the port's reader does not hang.
  package var reader: any DeviceReader {
    switch self {
    case .bytes(let port): port
    case .epochs(let port): port
    }
  }

  /// The port for commands to the receiver; nil if the source cannot send commands.
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
