package import Clocks
package import GNSS

/// Data of a receiver.
package enum ReceiverData: Sendable {
  /// Bytes with their time of arrival.
  case bytes([UInt8], at: MonotonicInstant)
  /// An epoch that a program other than the gateway decoded.
  case epoch(Epoch)
}

/// A source of positions: bytes to decode, or decoded epochs.
package enum ReceiverSource: Sendable {
  case bytes(any BytePort)
  case epochs(any EpochPort)

  package var name: String {
    switch self {
    case .bytes(let port): port.name
    case .epochs(let port): port.name
    }
  }

  /// The reader of the source. The liveness check tests whether this reader responds.
  package var reader: any DeviceReader {
    switch self {
    case .bytes(let port): port
    case .epochs(let port): port
    }
  }

  /// The port of the receiver; nil if the port does not accept commands.
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
