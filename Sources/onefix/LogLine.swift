import FoundationEssentials

/// An entry of the log as people read it.
struct LogLine: Decodable {
  var entry: Int?
  var time: String?
  var event: String?
  var app: String?
  var accuracy: String?
  var right: String?
  var transport: String?
  var simulated: Bool?
  var of: Int?
  var outcome: String?

  init(json: String) {
    self = (try? JSONDecoder().decode(LogLine.self, from: Data(json.utf8))) ?? LogLine()
  }

  private init() {}

  var text: String {
    let start = "\(time ?? "")  #\(entry ?? 0)  "
    if event == "outcome" { return start + "#\(of ?? 0) \(outcome ?? "")" }
    return start + "\(app ?? "")  \(accuracy ?? "")  \(right ?? "")  \(transport ?? "")"
      + (simulated == true ? "  simulated" : "")
  }
}
