/// An error in a configuration file. The description has the format of a compiler's message.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// The line number in the file, from 1; nil if the error concerns the whole file.
  package var line: Int?
  package var message: String

  package init(file: String, line: Int? = nil, message: String) {
    self.file = file
    self.line = line
    self.message = message
  }

  package var description: String {
    "\(file):" + (line.map { "\($0):" } ?? "") + " error: \(message)"
  }
}

/// The error for an invalid configuration, with all errors that were found.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errors, at least one, sorted by line number.
  package let diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics.enumerated().sorted {
      ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
    }.map(\.element)
  }

  init(file: String, line: Int? = nil, _ message: String) {
    self.init([Diagnostic(file: file, line: line, message: message)])
  }

  package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// Collects the errors of one configuration file.
package final class Diagnostics {
  package let file: String
  private var found: [Diagnostic] = []

  init(file: String) {
    self.file = file
  }

  package func report(_ line: Int?, _ message: String) {
    found.append(Diagnostic(file: file, line: line, message: message))
  }

  func throwIfAny() throws(ConfigurationError) {
    guard found.isEmpty else { throw ConfigurationError(found) }
  }
}
