package import Base
package import LineProtocol

/// A connection for an owner's commands. The gateway is in the same process or behind the owners' socket.
package protocol OwnerGateway {
  /// Sends a command. Returns the fields of the reply and the messages before the reply.
  /// - Throws: `LineError` if the gateway refuses the command, or the error of the connection.
  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message])

  /// Waits until the gateway accepts commands again, after it refused a command because of too many commands.
  /// - Throws: `CancellationError` if the task was cancelled.
  func pause() async throws

  /// Returns a time in the time zone of the owner, without seconds, as in `14:30`. If the day is not today, the date
  /// precedes the time.
  func localTime(of time: UTCTime) -> String

  /// Returns a time in the time zone of the owner for the log, as in `14:30:05`. Nil if the log has only times in UTC.
  var logTime: (@Sendable (UTCTime) -> String)? { get }
}

extension OwnerGateway {
  /// Returns the time in UTC, for a gateway whose owner has no known time zone.
  package func localTime(of time: UTCTime) -> String { TextFormatter.minute(time) + " UTC" }

  package var logTime: (@Sendable (UTCTime) -> String)? { nil }
}

/// The result of an owner's command.
package struct OwnerReport: Hashable, Sendable {
  /// The result as text. No line is wider than the requested number of columns.
  package var lines: [String]
  /// The result for programs, one JSON object in each line. The keys are the same in every language.
  package var json: [String]

  package init(lines: [String], json: [String]) {
    self.lines = lines
    self.json = json
  }
}

extension OwnerVerb {
  /// Sends the command to a gateway and formats the result.
  /// - Parameters:
  ///   - columns: the maximum width of a line, at least 20.
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
