import Foundation
import Testing

/// The sanitizer of the programs under test, which `Scripts/check-all` selects.
enum Sanitizer {
  /// The name of the sanitizer, for example `thread`. Nil without a sanitizer.
  static let name = ProcessInfo.processInfo.environment["ONEFIX_SANITIZER"]
}

extension Trait where Self == ConditionTrait {
  /// Skips a test with the thread sanitizer, if the test expects the status of a program that the C library ends, as for
  /// `onefixd --help`. The sanitizer replaces this status.
  static var unlessThreadSanitizer: Self {
    .disabled(if: Sanitizer.name == "thread", "the sanitizer replaces the status of an exit within the C library")
  }
}
