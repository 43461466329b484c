package import Base
import LineProtocol

extension PrivacyReport {
  /// Creates a report from the data of a gateway.
  /// - Parameters:
  ///   - gateway: The connection to the gateway.
  ///   - name: The name of the gateway for the title.
  ///   - since: The beginning of the report; nil for the whole log.
  ///   - most: The maximum count of log entries, of which the newest are used; nil for all.
  ///   - now: The end of the report.
  ///   - language: The language of the text.
  /// - Throws: The error of the connection to the gateway.
  package init(
    from gateway: some OwnerGateway, named name: String, since: UTCTime? = nil, most: Int? = nil, now: UTCTime,
    language: Language = .english
  ) async throws {
    let verification = try await gateway.repeated(.owner(.verify)).fields
    var (since, last) = (since, 0)
    if let most, let end = verification["last"].flatMap({ Int($0) }) { last = max(0, end - most) }
    let isCut = last > 0
    var entries = LoggedRequests()
    try await gateway.entries(since: since, app: nil, after: last) { entries.add($0) }
    // If the report leaves out earlier entries, the counts of requests without a fix begin at the first entry of the
    // report.
    if isCut { since = entries.first ?? since }
    let answers = try await gateway.repeated(.owner(.counts(since: since))).messages.map(\.json)
    let status = try await gateway.repeated(.status).fields
    let state = LogState(verification)
    let formatter = TextFormatter(unwrapped: language)
    self.init(
      gateway: name, since: since, now: now, entries: entries, answers: answers, logState: state.text(formatter),
      isLogGood: state.isGood, notices: [TimeView(status)?.notice(formatter)].compactMap(\.self), language: language)
  }
}
