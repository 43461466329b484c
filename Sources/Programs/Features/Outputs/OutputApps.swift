import Authorization
import Configuration

extension [AppConfiguration] {
  /// Returns the app of an output. Reports an error if no app has this id, or if the app cannot have an output.
  /// - Parameter output: the kind of the output in the message, as in `a file`.
  func output(named name: Located<String>, to output: String, in table: TOMLTable) -> AppID? {
    guard let app = app(named: name, in: table) else { return nil }
    guard app.surface == .display else { return app.id }
    table.diagnostics.report(
      name.line,
      "\(DiagnosticText.quoted(name.value)) is a display, which cannot get its fixes through \(output): the gateway "
        + "cannot detect whether the display is connected")
    return nil
  }
}
