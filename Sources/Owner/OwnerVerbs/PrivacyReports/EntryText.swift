package import Languages
package import LineProtocol

/// Formats entries of the disclosure log.
extension EntryMessage {
  /// Returns a table of entries, oldest first, as the console shows it.
  /// - Parameter columns: the maximum width of a line, at least 20.
  package static func table(_ entries: [EntryMessage], language: Language, columns: Int) -> [String] {
    TextFormatter(language: language, columns: max(20, columns)).log(entries)
  }

  package static let csvHeader =
    "entry,time,event,app,accuracy,right,transport,simulated,late,of,outcome,fixes,kind,choice,"
    + "says,language,by,user"

  /// The entry as a line of CSV. Missing values are empty.
  package var csv: String {
    let fields: [String?] = [
      "\(entry)", time, event, app, accuracy, right, transport, simulated.map { "\($0)" },
      late.map { "\($0)" }, of.map { "\($0)" }, outcome, fixes.map { "\($0)" },
      kind, choice,
      // A spreadsheet never reads a text in quotes as a formula.
      says.map { "“\($0)”" }, language, by, user.map { "\($0)" },
    ]
    return fields.map { Self.quoted($0 ?? "") }.joined(separator: ",")
  }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
    return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
