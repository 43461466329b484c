/// Formats an entry of the disclosure log.
extension EntryMessage {
  package var text: String {
    let start = "\(time)  #\(entry)  "
    switch event {
    case "outcome": return start + "#\(of ?? 0) \(outcome ?? "")"
    case "end":
      return start + "#\(of ?? 0) ended: \(outcome ?? "")"
        + (fixes.map { " after \(PrivacyReport.plural($0, "fix", "fixes"))" } ?? "")
    case "answer":
      let user = user.map { " of user \($0)" } ?? ""
      return start + "\(app ?? "")  \(kind ?? "")  answered \(choice ?? "")" + (accuracy.map { " \($0)" } ?? "")
        + "  by \(by ?? "")\(user)" + (language.map { "  in \($0)" } ?? "") + (says.map { "  “\($0)”" } ?? "")
    default:
      return start + "\(app ?? "")  \(accuracy ?? "")  \(right ?? "")  \(transport ?? "")"
        + (event == "interval" ? "  from now on" : "") + (simulated == true ? "  simulated" : "")
        + (late == true ? "  late" : "")
    }
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
