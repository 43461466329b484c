package import Clocks
import LineProtocol

extension PrivacyReport {
  /// Asks a gateway for all that belongs in it.
  /// - Parameters:
  ///   - name: what the gateway is called.
  ///   - most: how many entries of the log, the latest ones; nil for all of them.
  /// - Throws: whatever the way to the gateway throws.
  package init(
    from gateway: some OwnerGateway, named name: String, since: UTCTime? = nil, most: Int? = nil, now: UTCTime
  ) async throws {
    let verification = try await gateway.perform(.owner(.verify)).fields
    var (since, last) = (since, 0)
    if let most, let end = verification["last"].flatMap({ Int($0) }) { last = max(0, end - most) }
    let isCut = last > 0
    var entries: [String] = []
    try await gateway.entries(since: since, app: nil, after: last) { entries.append($0) }
    // What came to no fix is counted from there on, too. No entry says when it was written whose clock was not set.
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
