/// One fault of a configuration file, where it is and what it is, as a compiler would say it.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  package var file: String
  /// Counts from 1; nil where the fault is of the file as a whole.
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

/// Everything that is wrong with a configuration, not only the first thing.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of their lines.
  package let diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics.enumerated().sorted {
      ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
    }.map(\.element)
  }

  init(file: String, line: Int? = nil, _ message: String) {
    self.init([Diagnostic(file: file, line: line, message: message)])
  }

  /// One line for each fault.
  package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// Gathers the faults of one file while it is read.
final class Diagnostics {
  let file: String
  private var found: [Diagnostic] = []

  init(file: String) {
    self.file = file
  }

  func report(_ line: Int?, _ message: String) {
    found.append(Diagnostic(file: file, line: line, message: message))
  }

  func throwIfAny() throws(ConfigurationError) {
    guard found.isEmpty else { throw ConfigurationError(found) }
  }
}
