import Hardware
import LineProtocol
import Ports

import Synchronization

extension LineFormat {
  /// Returns the conversion of an app's fixes into bytes for a serial port.
  func form(of port: String, for app: AppID) -> OutputForm {
    // NMEA sentences have no names of places.
    OutputForm("serial://\(port)", of: app, as: rawValue, hasPositionsOnly: self == .nmea) { fix in
      [Array(lines(fix).map { "\($0)\r\n" }.joined().utf8)]
    }
  }

  func lines(_ fix: PublishedFix) -> [String] {
    switch self {
    case .text: [fix.report.text(at: fix.time)]
    case .json: [fix.json]
    case .nmea: NMEASentence.lines(of: fix.report.json, NMEASentence.usual)
    }
  }
}

/// The destination of fixes at a serial port. Input from the port is ignored.
final class PortTarget: OutputTarget {
  private let path: String
  private let speed: Int
  private let port = Mutex<SerialLinePort?>(nil)

  init(path: String, speed: Int) {
    self.path = path
    self.speed = speed
  }

  func test() async throws(OutputError) { try await withPort { _ in } }

  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    let bytes = publication.messages.flatMap(\.payload)
    return try await withPort { port throws(HardwareError) in
      // The port may have been opened now, and the thread pool can be busy.
      guard isIndicated() else { return false }
      try port.send(bytes, within: .seconds(2))
      return true
    }
  }

  /// Runs an operation on the port, on a thread pool. If the port is not open or has disappeared, the function first
  /// opens the port.
  private func withPort<Value: Sendable>(
    _ body: @escaping @Sendable (SerialLinePort) throws(HardwareError) -> Value
  ) async throws(OutputError) -> Value {
    let result = await onThread { () throws(HardwareError) in
      try self.port.withLock { (port: inout SerialLinePort?) throws(HardwareError) in
        if port?.isOpen != true { port = nil }
        if let open = port { return try body(open) }
        let open = try SerialLinePort(path: self.path, speed: self.speed)
        port = open
        return try body(open)
      }
    }
    switch result {
    case .success(let value)?: return value
    case .failure(let error)?: throw OutputError("write to", path, .port, detail: error.cause)
    // The task was cancelled before the operation.
    case nil: throw OutputError("write to", path, .port)
    }
  }
}
