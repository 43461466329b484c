import Authorization
import Hardware
import LineProtocol
import Testing

@testable import Gateway

@Suite struct AuthorizationSummaryTests {
  @Test func `an app sees only the indications that its own requests cause`() {
    let session = SessionID(1)
    var authorization = Authorization(records: [AppRecord(app: a, status: .always)])
    _ = authorization.handle(.sessionOpened(session, a), at: at(.zero))
    _ = authorization.handle(.ordered(.use(a)), at: at(.zero))
    _ = authorization.handle(.started(RequestID(1), session, background: false), at: at(.zero))
    var first = AuthorizationSummary()
    #expect(first.demand(of: authorization).updates == .inUse)
    #expect(first.indications(of: authorization) == [a: .acquiring])
    _ = authorization.handle(.served(RequestID(1)), at: at(.zero))
    var second = AuthorizationSummary()
    #expect(second.indications(of: authorization) == [a: .inUse])
  }
}
