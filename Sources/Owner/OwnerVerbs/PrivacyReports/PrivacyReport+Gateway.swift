package import Clocks
import LineProtocol

extension PrivacyReport {
  /// Requests the data of a report from a gateway.
  /// - Parameters:
  ///   - name: the name of the gateway.
  ///   - most: the maximum number of log entries. If the log has more entries, the report uses only the latest entries.
  ///     Nil for all entries.
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
    // The report also contains counts of the requests that ended without a fix. If the number of entries is limited,
    // the counts must begin at the time of the first entry in the report. If an entry was written before the clock was
    // set, the time of the entry is wrong and is not used.
    if isCut {
      let times = entries.lazy.compactMap { EntryMessage(json: $0).flatMap { UTCTime(iso8601: $0.time) } }
      since = times.first { $0 >= UTCTime.firstGateways } ?? since
    }
    let answers = try await gateway.perform(.owner(.counts(since: since))).messages.map(\.json)
    let state = LogState(verification)
    self.init(
      gateway: name, since: since, now: now, entries: entries, answers: answers, logState: state.text,
      isLogGood: state.isGood)
  }
}
