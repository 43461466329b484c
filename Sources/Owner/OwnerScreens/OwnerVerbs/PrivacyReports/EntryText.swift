package import Base
package import LineProtocol

/// Formats entries of the log of all fixes that apps received, as a table or as CSV.
extension EntryMessage {
  /// Returns the entries as a table, oldest first.
  /// - Parameters:
  ///   - entries: The entries, oldest first.
  ///   - language: The language of the text.
  ///   - columns: The maximum width of a line of text, at least 20.
  ///   - localTime: Returns a time in the time zone of the reader; nil for times in UTC only.
  package static func table(
    _ entries: [EntryMessage], language: Language, columns: Int, localTime: (@Sendable (UTCTime) -> String)? = nil
  ) -> [String] {
    var formatter = TextFormatter(language: language, columns: max(20, columns))
    formatter.localTime = localTime
    return formatter.log(entries)
  }

  /// The columns of the CSV file, in the order of the JSON members, except that the event comes before the app.
  private static let columns = {
    var columns = members
    columns.swapAt(2, 3)
    return columns
  }()

  package static var csvHeader: String { columns.map(\.name).joined(separator: ",") }

  /// The entry as one line of CSV. A missing value is empty.
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
