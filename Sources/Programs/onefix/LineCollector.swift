import FoundationEssentials
import Synchronization

/// A fault of the disclosure log, as a line of text.
struct LogFaultLine: Decodable {
  var text: String

  init(json: String) {
    self = (try? JSONDecoder().decode(LogFaultLine.self, from: Data(json.utf8))) ?? LogFaultLine(text: json)
  }

  private init(text: String) { self.text = text }
}

/// Collects lines in the order of their arrival.
final class LineCollector: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
