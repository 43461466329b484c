import Base
import Testing

@testable import Features

@Suite struct PageAuthenticatorTests {
  private let authenticator = PageAuthenticator()
  private let now = BootInstant(nanoseconds: 0)

  /// Creates a link. Returns its token; nil if the page is not in service.
  private func link() -> PageToken? {
    authenticator.makeLink(at: now)?.address.split(separator: "#").last.flatMap { PageToken(offered: $0) }
  }

  @Test func `links exist only while the page is in service`() {
    #expect(link() == nil)
    authenticator.serve(as: PageIdentity(port: 8021))
    #expect(link() != nil)
    authenticator.serve(as: nil)
    #expect(link() == nil)
  }

  @Test func `the second server of a page ends no link and no session, and other host names end all`() throws {
    authenticator.serve(as: PageIdentity(port: 8021))
    let first = try #require(link())
    let session = try #require(authenticator.open(first, at: now))
    let second = try #require(link())
    authenticator.serve(as: PageIdentity(port: 8021))
    #expect(authenticator.validate(session, isUserAction: false, at: now))
    #expect(authenticator.open(second, at: now) != nil)
    let third = try #require(link())
    authenticator.serve(as: PageIdentity(port: 8022))
    #expect(!authenticator.validate(session, isUserAction: false, at: now))
    #expect(authenticator.open(third, at: now) == nil)
  }
}
