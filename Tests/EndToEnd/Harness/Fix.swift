import Foundation
import Testing

/// A fix as an app reads it.
struct Fix {
  struct NoObject: Error { var text: String }

  let text: String
  private let members: [String: Any]

  init(_ text: String) throws {
    self.text = text
    guard let members = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw NoObject(text: text)
    }
    self.members = members
  }

  var keys: Set<String> { Set(members.keys) }
  var latitude: Double { number("lat") ?? .nan }
  var longitude: Double { number("lon") ?? .nan }
  var accuracy: String? { self["accuracy"] }

  subscript(key: String) -> String? { members[key] as? String }

  func number(_ key: String) -> Double? { (members[key] as? NSNumber)?.doubleValue }
}
