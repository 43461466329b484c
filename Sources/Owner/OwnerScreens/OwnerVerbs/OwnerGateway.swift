package import Base
package import LineProtocol

/// A gateway to which an owner (administrator) sends commands, in the same process or through a Unix socket.
package protocol OwnerGateway {
  /// Sends a command. Returns the fields of the reply, and the messages that came before the reply.
  /// - Throws: `LineError` if the gateway refuses the command, or the error of the connection.
  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message])

  /// Waits before a further attempt, after the gateway refused a command because of too many commands.
  /// - Throws: `CancellationError` if the task was cancelled.
  func pause() async throws

  /// Returns a time as text in the time zone of the owner (administrator), for example `14:30`. The text begins with
  /// the date if the date is not today.
  func localTime(of time: UTCTime) -> String

  /// A function that formats the time of a log entry in the time zone of the owner (administrator), for example
  /// `14:30:05`; nil to show UTC.
  var logTime: (@Sendable (UTCTime) -> String)? { get }
}

extension OwnerGateway {
  /// Returns a time as text in UTC, for an owner (administrator) whose time zone is unknown.
  package func localTime(of time: UTCTime) -> String { TextFormatter.minute(time) + " UTC" }

  package var logTime: (@Sendable (UTCTime) -> String)? { nil }
}

/// The reply of a gateway to an owner (administrator), as text and as JSON.
package struct OwnerReport: Hashable, Sendable {
  /// The reply as lines of text, none wider than the terminal.
  package var lines: [String]
  /// The reply as JSON objects for programs. The keys are the same in every language.
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
