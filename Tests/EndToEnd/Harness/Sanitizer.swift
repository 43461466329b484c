import Foundation

/// What the programs under test were built with, as `Scripts/check-all` does.
enum Sanitizer {
  /// As in `thread`; nil without one.
  static let name = ProcessInfo.processInfo.environment["ONEFIX_SANITIZER"]
}
