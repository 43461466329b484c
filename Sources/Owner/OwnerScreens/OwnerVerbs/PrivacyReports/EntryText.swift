package import Base
package import LineProtocol

/// Formats entries of the disclosure log.
extension EntryMessage {
  /// Returns a table of entries, oldest first, as the console shows it.
  /// - Parameters:
  ///   - columns: the maximum width of a line, at least 20.
  ///   - localTime: Returns a time in the time zone of the reader; nil for UTC only.
  package static func table(
    _ entries: [EntryMessage], language: Language, columns: Int, localTime: (@Sendable (UTCTime) -> String)? = nil
  ) -> [String] {
    var formatter = TextFormatter(language: language, columns: max(20, columns))
    formatter.localTime = localTime
    return formatter.log(entries)
  }

  /// The columns of CSV: the members of the message, but the event (3) stands before the app (2).
  private static let columns = {
    var columns = members
    columns.swapAt(2, 3)
    return columns
  }()

  package static var csvHeader: String { columns.map(\.name).joined(separator: ",") }

  /// The entry as a line of CSV. Missing values are empty.
  package var csv: String {
    Self.columns.map { column in
      // A spreadsheet never reads a text in quotes as a formula.
      let text = column.text(self).map { column.name == "says" ? "“\($0)”" : $0 }
      return Self.quoted(text ?? "")
    }.joined(separator: ",")
  }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
    return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
