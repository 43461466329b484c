package import Base
package import LineProtocol

/// Executes the commands of an owner on a gateway, in the same process or through the Unix socket for owners.
package protocol OwnerGateway {
  /// Sends a command. Returns the fields of the reply, and the messages that came before it.
  /// - Throws: `LineError` if the gateway refuses the command, or the error of the connection.
  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message])

  /// Waits for some time, after the gateway has refused a command because there were too many.
  /// - Throws: `CancellationError` if the task was cancelled.
  func pause() async throws

  /// Returns a time in the time zone of the owner, as in `14:30`. The date comes first if it is not today.
  func localTime(of time: UTCTime) -> String

  /// Returns the time of a log entry in the time zone of the owner, as in `14:30:05`. Nil if the log is shown in UTC.
  var logTime: (@Sendable (UTCTime) -> String)? { get }
}

extension OwnerGateway {
  /// Returns a time in UTC, for an owner whose time zone is unknown.
  package func localTime(of time: UTCTime) -> String { TextFormatter.minute(time) + " UTC" }

  package var logTime: (@Sendable (UTCTime) -> String)? { nil }
}

/// The result of a command of an owner.
package struct OwnerReport: Hashable, Sendable {
  /// The result as lines of text, none wider than the terminal.
  package var lines: [String]
  /// The result for programs, one JSON object in each element. The keys are the same in every language.
  package var json: [String]

  package init(lines: [String], json: [String]) {
    self.lines = lines
    self.json = json
  }
}

extension OwnerVerb {
  /// Sends the command to a gateway, and formats the result.
  /// - Parameters:
  ///   - gateway: The connection to the gateway.
  ///   - language: The language of the text.
  ///   - columns: The maximum width of a line of text, at least 20.
  ///   - hasColours: Whether the text may have colours.
  /// - Throws: `OwnerFailure` if the gateway refuses the command, or the error of the connection.
  package func perform(
    on gateway: some OwnerGateway & Sendable, language: Language, columns: Int, hasColours: Bool = false
  ) async throws -> OwnerReport {
    var formatter = TextFormatter(language: language, columns: max(20, columns))
    formatter.hasColours = hasColours
    formatter.endTime = { gateway.localTime(of: $0) }
    formatter.localTime = gateway.logTime
    do {
      return try await CommandRunner(gateway: gateway, formatter: formatter).report(self)
    } catch let error as LineError {
      throw OwnerFailure(verb: self, error: error)
    } catch let failure as PromptTooRecent {
      throw OwnerFailure(verb: self, error: failure.error, promptTooRecent: failure.prompt)
    }
  }
}
