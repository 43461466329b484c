import Foundation

/// The sanitizer of the programs under test, which `Scripts/check-all` selects.
enum Sanitizer {
  /// The name of the sanitizer, for example `thread`. Nil without a sanitizer.
  static let name = ProcessInfo.processInfo.environment["ONEFIX_SANITIZER"]
}
