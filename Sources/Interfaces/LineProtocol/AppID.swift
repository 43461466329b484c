/// The identifier of an app, as written in the configuration of the gateway.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let name: String

  /// Creates an identifier from 1 to 64 characters: lower-case ASCII letters, digits, `.`, `-` and `_`. The first
  /// character must be a letter or digit. Returns nil for any other name.
  package init?(_ name: String) {
    func isPlain(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard (1...64).contains(name.utf8.count), name.utf8.first.map(isPlain) == true,
      name.utf8.allSatisfy({
        isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      })
    else { return nil }
    self.name = name
  }

  package var description: String { name }

  package static func < (left: AppID, right: AppID) -> Bool { left.name < right.name }
}
