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

@Test func `the apps of a keyring are those with a key or a token`() throws {
  let keyring = Keyring()
  let (ferry, boat) = (try #require(AppID("ferry")), try #require(AppID("boat")))
  keyring.set(AppKey(), of: ferry)
  keyring.set(TokenHash(of: AppKey()), of: boat)
  #expect(keyring.apps == [ferry, boat])
  keyring.set(nil as AppKey?, of: ferry)
  keyring.set(nil as TokenHash?, of: boat)
  #expect(keyring.apps.isEmpty)
}

@Test func `the hash of a token has 32 bytes, and fits that token only`() throws {
  let token = AppKey()
  let hash = TokenHash(of: token)
  #expect(try #require(TokenHash(bytes: hash.bytes)).isHash(of: token.text))
  #expect(!hash.isHash(of: AppKey().text) && !hash.isHash(of: ""))
  for count in [0, 31, 33] { #expect(TokenHash(bytes: Array(repeating: 1, count: count)) == nil) }
}
