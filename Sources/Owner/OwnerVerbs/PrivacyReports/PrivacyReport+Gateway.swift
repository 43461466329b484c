package import Clocks
import LineProtocol

extension PrivacyReport {
  /// Requests the data of a report from a gateway.
  /// - Parameter most: the maximum number of log entries. The report uses the latest entries. Nil for all entries.
  /// - Throws: The error of the connection to the gateway.
  package init(
    from gateway: some OwnerGateway, named name: String, since: UTCTime? = nil, most: Int? = nil, now: UTCTime
  ) async throws {
    let verification = try await gateway.perform(.owner(.verify)).fields
    var (since, last) = (since, 0)
    if let most, let end = verification["last"].flatMap({ Int($0) }) { last = max(0, end - most) }
    let isCut = last > 0
    var entries: [String] = []
    try await gateway.entries(since: since, app: nil, after: last) { entries.append($0) }
    // If the report leaves out earlier entries, the counts of requests without a fix begin at the first entry of the
    // report. An entry from a time before the clock was set has a wrong time and is not used.
    if isCut {
      let times = entries.lazy.compactMap { EntryMessage(json: $0).flatMap { UTCTime(iso8601: $0.time) } }
      since = times.first { $0 >= UTCTime.firstGateways } ?? since
    }
    let answers = try await gateway.perform(.owner(.counts(since: since))).messages.map(\.json)
    let status = try await gateway.perform(.status).fields
    let state = LogState(verification)
    self.init(
      gateway: name, since: since, now: now, entries: entries, answers: answers, logState: state.text,
      isLogGood: state.isGood, sharesTime: status["time"] != nil)
  }
}
