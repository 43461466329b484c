package import Languages
package import LineProtocol

/// A gateway as an owner speaks with it: over its socket, or within the daemon.
package protocol OwnerGateway {
  /// Says a command, and returns its reply and the messages that came before it.
  /// - Throws: `LineError` where the gateway refuses, or whatever the way to it throws.
  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message])
}

/// What came of a verb.
package struct OwnerReport: Hashable, Sendable {
  /// For people, in the language that was asked for; none takes more columns than there are.
  package var lines: [String]
  /// For programs: one JSON object in each, its keys the same in every language.
  package var json: [String]

  package init(lines: [String], json: [String]) {
    self.lines = lines
    self.json = json
  }
}

extension OwnerVerb {
  /// Does what the verb says.
  /// - Parameter columns: how wide a line may be, 20 at least.
  /// - Throws: `OwnerFailure` where the gateway refuses, or whatever the way to it throws.
  package func perform(
    on gateway: some OwnerGateway, language: Language, columns: Int
  ) async throws -> OwnerReport {
    let writing = Writing(language: language, columns: max(20, columns))
    do {
      return try await Performance(gateway: gateway, writing: writing).report(self)
    } catch let error as LineError {
      throw OwnerFailure(verb: self, error: error)
    } catch let failure as JustAsked {
      throw OwnerFailure(verb: self, justAsked: failure.prompt)
    }
  }
}
