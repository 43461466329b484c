import LineProtocol
import Ports
import Testing

@Test func `an identity holds until its key is revoked or replaced, and that of the transport always`() throws {
  let (keyring, app) = (Keyring(), try #require(AppID("ferry")))
  keyring.set(AppKey(), of: app)
  let first = Identity(app, by: .key(try #require(keyring.key(of: app)).number))
  #expect(keyring.holds(first))
  #expect(!keyring.holds(Identity(try #require(AppID("other")), by: first.proof)))
  keyring.set(AppKey(), of: app)
  let second = Identity(app, by: .key(try #require(keyring.key(of: app)).number))
  #expect(!keyring.holds(first) && keyring.holds(second))
  keyring.set(nil as AppKey?, of: app)
  #expect(!keyring.holds(second) && keyring.holds(Identity(app, by: .transport)))
  #expect(keyring.holds(Identity(app, by: .certificate([]))))
  keyring.set(TokenHash(of: AppKey()), of: app)
  let third = Identity(app, by: .token(try #require(keyring.token(of: app)).number))
  #expect(keyring.holds(third))
  keyring.set(TokenHash(of: AppKey()), of: app)
  #expect(!keyring.holds(third))
}
