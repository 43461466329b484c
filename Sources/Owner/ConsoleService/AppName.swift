import FoundationEssentials
import LineProtocol

/// The name of an app, from a message on `owner/apps`. The console uses the names to complete typed words.
struct AppName: Decodable {
  var app: String

  init?(_ message: ServerLine.Message) {
    guard let read = try? JSONDecoder().decode(AppName.self, from: Data(message.json.utf8)) else { return nil }
    self = read
  }
}
