package import Clocks
import LineProtocol
package import OwnerVerbs

extension PrivacyReport {
  /// Asks a gateway for all that belongs in it.
  /// - Parameter name: what the gateway is called.
  /// - Throws: whatever the way to the gateway throws.
  package init(from gateway: some OwnerGateway, named name: String, since: UTCTime? = nil, now: UTCTime) async throws {
    var entries: [String] = []
    var last = 0
    while true {
      // Some at a time: the log may be long.
      let command = OwnerCommand.log(since: since, app: nil, limit: OwnerCommand.mostEntries, after: last)
      let heard = try await gateway.perform(.owner(command)).messages.map(\.json)
      entries += heard
      guard heard.count == OwnerCommand.mostEntries, let next = heard.last.flatMap({ LogLine(json: $0).entry }),
        next > last
      else { break }
      last = next
    }
    let answers = try await gateway.perform(.owner(.counts(since: since))).messages.map(\.json)
    let state = LogState(try await gateway.perform(.owner(.verify)).fields)
    self.init(
      gateway: name, since: since, now: now, entries: entries, answers: answers, logState: state.text,
      isLogGood: state.isGood)
  }
}
