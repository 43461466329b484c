import FoundationEssentials
import PrivacyReports
import Synchronization

/// A fault of the log as people read it.
struct LogFaultLine: Decodable {
  var text: String

  init(json: String) {
    self = (try? JSONDecoder().decode(LogFaultLine.self, from: Data(json.utf8))) ?? LogFaultLine(text: json)
  }

  private init(text: String) { self.text = text }
}

/// The number of the last entry that was heard.
final class LastEntry: Sendable {
  private let last = Mutex(0)

  var number: Int { last.withLock { $0 } }

  func hear(_ json: String) {
    let entry = LogLine(json: json).entry ?? 0
    last.withLock { $0 = max($0, entry) }
  }
}

/// Lines in the order in which they were heard.
final class HeardLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func hear(_ line: String) { lines.withLock { $0.append(line) } }
}
