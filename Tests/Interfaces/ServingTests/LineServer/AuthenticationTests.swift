import LineProtocol
import Base
import NIOCore
import Ports
import Testing

@testable import Serving

/// A connection's authentication, with a keyring that a test fills.
private struct Bench {
  static let serverNonce = "00112233445566778899aabbccddeeff"
  static let clientNonce = "ffeeddccbbaa99887766554433221100"

  let keyring = Keyring()
  var authentication: AuthenticationStateMachine

  init(
    _ identification: Identification, transport: Transport, peer: Peer, binding: String = "",
    certificate: [UInt8]? = nil
  ) {
    authentication = AuthenticationStateMachine(
      .init(
        identification: identification, transport: transport, peer: peer, gateway: "boat-7",
        nonce: Bench.serverNonce, binding: binding, certificate: certificate, keyring: keyring))
  }

  static func network() throws -> Bench { Bench(.proof(), transport: .tcp, peer: try machine()) }

  static let binding = String(repeating: "ab", count: 32)
  /// The certificate that is configured for `ferry`.
  static let certificate = [UInt8](repeating: 7, count: 32)

  /// - Parameter certificate: The certificate of the client.
  static func encrypted(certificate: [UInt8]? = nil) throws -> Bench {
    Bench(
      .proof(certificates: Reloadable([try app("ferry"): Bench.certificate])), transport: .tls, peer: try machine(),
      binding: binding, certificate: certificate)
  }

  private static func machine() throws -> Peer {
    .machine(try #require(NetworkAddress(try SocketAddress(ipAddress: "127.0.0.1", port: 40_000))))
  }

  static func socket() throws -> Bench {
    let rules = IdentityRules(apps: [IdentityRule(app: try app("ferry"), holder: .uid(1000))])
    return Bench(.kernel(Reloadable(rules)), transport: .unix, peer: .process(uid: 1000))
  }

  static func port() throws -> Bench {
    Bench(.port(try app("ferry")), transport: .serial, peer: .port("/dev/ttyS1"))
  }

  static func owners() -> Bench { Bench(.owners, transport: .unix, peer: .process(uid: 0)) }

  static func app(_ name: String) throws -> AppID { try #require(AppID(name)) }

  static func proof(of app: String, binding: String = "") -> KeyProof {
    KeyProof(gateway: "boat-7", app: app, serverNonce: serverNonce, clientNonce: clientNonce, binding: binding)
  }

  mutating func take(_ line: String) throws -> AuthenticationStateMachine.Step {
    authentication.handle(try TaggedCommand(parsing: line).command)
  }

  /// Sends HELLO, and returns the challenge.
  mutating func challenge(_ app: String = "ferry") throws -> String {
    let step = try take("HELLO 1 app=\(app) nonce=\(Bench.clientNonce)")
    guard case .answer(let fields) = step else { throw Unexpected(step: step) }
    #expect(fields.pairs.map(\.key) == ["auth", "proof"] && fields["auth"] == "required")
    return try #require(fields["proof"])
  }

  struct Unexpected: Error { var step: AuthenticationStateMachine.Step }
}

/// One line of every verb that requires authentication.
private let others = [
  "SUB # all", "UNSUB all", "REQ once", "CANCEL", "START updates", "STOP updates", "AUTHORIZE always",
  "STATE foreground", "REGION LIST", "ACK 1", "STATUS", "APPS", "PROMPTS", "LOG", "VERIFY", "COUNTS", "ANSWER 1 yes",
  "SET ferry status denied", "USE ferry", "RESET ferry", "KEY ADD ferry", "KEY REVOKE ferry", "RELOAD", "PAGE", "LOCK",
  "REGIONS", "SESSIONS", "SKY", "PRESS", "HOLD",
]

private let ownersOnly = Set(others.drop { $0 != "APPS" })

private let auth = "AUTH hmac=" + String(repeating: "0", count: 64)

@Test(arguments: others + [auth, "AUTH token=secret", "BYE"])
func `before HELLO everything but PING and HELP ends the connection`(line: String) throws {
  for var bench in [try Bench.network(), try Bench.encrypted(), try Bench.socket(), Bench.owners()] {
    guard case .refuse(let error) = try bench.take(line) else { throw Bench.Unexpected(step: try bench.take(line)) }
    #expect(error.code == .authRequired && error.code.closes)
    #expect(!bench.authentication.isOver)
  }
}

@Test(arguments: others + ["HELLO 1 app=ferry nonce=\(Bench.clientNonce)", "HELLO 1 app=ferry"])
func `between HELLO and AUTH everything but AUTH, PING, HELP and BYE ends the connection`(line: String) throws {
  for var bench in [try Bench.network(), try Bench.encrypted(), try Bench.encrypted(certificate: [1])] {
    bench.keyring.set(AppKey(), of: try Bench.app("ferry"))
    _ = try bench.challenge()
    guard case .refuse(let error) = try bench.take(line) else { throw Bench.Unexpected(step: try bench.take(line)) }
    #expect(error.code == .authRequired && error.code.closes)
    #expect(!bench.authentication.isOver)
  }
}

@Test func `PING and HELP are answered at any time, and BYE after HELLO`() throws {
  var proven = try Bench.network()
  let key = AppKey()
  proven.keyring.set(key, of: try Bench.app("ferry"))
  var challenged = proven
  _ = try challenged.challenge()
  proven = challenged
  _ = try proven.take("AUTH hmac=\(Bench.proof(of: "ferry").digits(.client, with: key.secret))")
  #expect(proven.authentication.isOver)
  for var bench in [try Bench.network(), challenged, proven, try Bench.socket(), Bench.owners()] {
    #expect(try bench.take("PING") == .pong)
    #expect(try bench.take("HELP") == .help)
  }
  for var bench in [challenged, proven] { #expect(try bench.take("BYE") == .goodbye) }
}

@Test(arguments: others)
func `who is known may say everything but HELLO, AUTH and what is the owners'`(line: String) throws {
  var known = [try Bench.network(), try Bench.socket()]
  let key = AppKey()
  known[0].keyring.set(key, of: try Bench.app("ferry"))
  _ = try known[0].challenge()
  _ = try known[0].take("AUTH hmac=\(Bench.proof(of: "ferry").digits(.client, with: key.secret))")
  _ = try known[1].take("HELLO 1 app=ferry")
  for var bench in known {
    #expect(bench.authentication.isOver)
    if ownersOnly.contains(line) {
      guard case .refuse(let error) = try bench.take(line) else { throw Bench.Unexpected(step: try bench.take(line)) }
      #expect(error.code == .notOwner)
    } else {
      #expect(try bench.take(line) == .perform)
    }
    for said in ["HELLO 1 app=ferry", auth, "AUTH token=secret"] {
      guard case .refuse(let error) = try bench.take(said) else { throw Bench.Unexpected(step: try bench.take(said)) }
      #expect(error.code == .badArgument)
    }
  }
  var owner = Bench.owners()
  guard case .welcome(_, nil) = try owner.take("HELLO 1") else {
    throw Bench.Unexpected(step: try owner.take("HELLO 1"))
  }
  #expect(try owner.take(line) == .perform)
}

@Test func `the gateway shows that it has the key before the app does, and the app is welcome only then`() throws {
  var bench = try Bench.network()
  let key = AppKey()
  bench.keyring.set(key, of: try Bench.app("ferry"))
  #expect(try bench.challenge() == Bench.proof(of: "ferry").digits(.server, with: key.secret))
  let step = try bench.take("AUTH hmac=\(Bench.proof(of: "ferry").digits(.client, with: key.secret))")
  guard case .welcome(let hello, let identity?) = step else { throw Bench.Unexpected(step: step) }
  #expect(hello.app == "ferry" && identity.app.name == "ferry" && bench.keyring.holds(identity))
}

@Test func `the gateway's own proof is none of the app's`() throws {
  var bench = try Bench.network()
  bench.keyring.set(AppKey(), of: try Bench.app("ferry"))
  let theirs = try bench.challenge()
  guard case .refuseProof(let error) = try bench.take("AUTH hmac=\(theirs)") else { throw CancellationError() }
  #expect(error.code == .authFailed && error.code.closes)
}

@Test func `an app without a key, and none at all, look like one whose key is another`() throws {
  for name in ["ferry", "nobody", "keyless"] {
    var bench = try Bench.network()
    bench.keyring.set(AppKey(), of: try Bench.app("ferry"))
    let first = try bench.challenge(name)
    #expect(first.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    let digits = Bench.proof(of: name).digits(.client, with: AppKey().secret)
    guard case .refuseProof(let error) = try bench.take("AUTH hmac=\(digits)") else { throw CancellationError() }
    #expect(error == LineError(.authFailed, "the proof does not match this app's key"))
    #expect(!bench.authentication.isOver)
  }
}

@Test func `a key that was revoked or replaced after HELLO proves nothing`() throws {
  for replacement in [nil, AppKey()] {
    var bench = try Bench.network()
    let (key, app) = (AppKey(), try Bench.app("ferry"))
    bench.keyring.set(key, of: app)
    _ = try bench.challenge()
    bench.keyring.set(replacement as AppKey?, of: app)
    #expect(!bench.authentication.isOver)
    let step = try bench.take("AUTH hmac=\(Bench.proof(of: "ferry").digits(.client, with: key.secret))")
    guard case .refuseProof = step else { throw Bench.Unexpected(step: step) }
  }
}

@Test func `INFO says how a client may prove itself on this connection`() throws {
  #expect(Bench.owners().authentication.methods == "peer")
  #expect(try Bench.socket().authentication.methods == "peer")
  #expect(try Bench.network().authentication.methods == "hmac")
  #expect(try Bench.encrypted().authentication.methods == "hmac,token")
  #expect(try Bench.encrypted(certificate: [1]).authentication.methods == "certificate,hmac,token")
}

@Test func `under TLS a proof is bound to the server's certificate`() throws {
  let (key, app) = (AppKey(), try Bench.app("ferry"))
  for (binding, isRight) in [(Bench.binding, true), ("", false), (String(repeating: "ac", count: 32), false)] {
    var bench = try Bench.encrypted()
    bench.keyring.set(key, of: app)
    let theirs = try bench.challenge()
    #expect((theirs == Bench.proof(of: "ferry", binding: binding).digits(.server, with: key.secret)) == isRight)
    let step = try bench.take(
      "AUTH hmac=\(Bench.proof(of: "ferry", binding: binding).digits(.client, with: key.secret))")
    if case .welcome = step { #expect(isRight) } else { #expect(!isRight, "\(step)") }
  }
}

@Test func `over TLS a token proves the app that it was made for, with a nonce or without`() throws {
  let (token, other) = (AppKey(), AppKey())
  for hello in ["HELLO 1 app=ferry", "HELLO 1 app=ferry nonce=\(Bench.clientNonce)"] {
    for (said, isRight) in [(token, true), (other, false), (AppKey(), false)] {
      var bench = try Bench.encrypted()
      bench.keyring.set(TokenHash(of: token), of: try Bench.app("ferry"))
      bench.keyring.set(TokenHash(of: other), of: try Bench.app("other"))
      guard case .answer(let fields) = try bench.take(hello) else { throw CancellationError() }
      #expect(fields["auth"] == "required" && (fields["proof"] == nil) == !hello.contains("nonce"))
      switch try bench.take("AUTH token=\(said.text)") {
      case .welcome(_, let identity?): #expect(isRight && bench.keyring.holds(identity))
      case .refuseProof(let error): #expect(!isRight && error.code == .authFailed)
      case let step: throw Bench.Unexpected(step: step)
      }
    }
  }
}

@Test func `a key is no token, a token no key, and a hash neither`() throws {
  let (key, app) = (AppKey(), try Bench.app("ferry"))
  var bench = try Bench.encrypted()
  bench.keyring.set(key, of: app)
  _ = try bench.challenge()
  guard case .refuseProof = try bench.take("AUTH token=\(key.text)") else { throw CancellationError() }
  for said in [key.bytes, TokenHash(of: key).bytes] {
    var bench = try Bench.encrypted()
    bench.keyring.set(TokenHash(of: key), of: app)
    _ = try bench.challenge()
    let wrong = try #require(AppKey(bytes: said))
    let digits = Bench.proof(of: "ferry", binding: Bench.binding).digits(.client, with: wrong.secret)
    guard case .refuseProof = try bench.take("AUTH hmac=\(digits)") else { throw CancellationError() }
  }
  #expect(TokenHash(bytes: [1]) == nil)
}

@Test func `without a nonce a key proves nothing`() throws {
  var bench = try Bench.encrypted()
  bench.keyring.set(AppKey(), of: try Bench.app("ferry"))
  _ = try bench.take("HELLO 1 app=ferry")
  guard case .refuseProof = try bench.take(auth) else { throw CancellationError() }
}

@Test func `the certificate that is configured proves an app, and any other leaves it to a key`() throws {
  var right = try Bench.encrypted(certificate: Bench.certificate)
  guard case .welcome(_, let identity?) = try right.take("HELLO 1 app=ferry") else { throw CancellationError() }
  #expect(
    identity == Identity(try Bench.app("ferry"), by: .certificate(Bench.certificate)) && right.authentication.isOver)
  for (app, shown) in [("other", Bench.certificate), ("ferry", [UInt8](repeating: 8, count: 32)), ("ferry", nil)] {
    var bench = try Bench.encrypted(certificate: shown)
    _ = try bench.challenge(app)
    #expect(!bench.authentication.isOver)
  }
}

@Test func `over TCP a token is no proof, whatever it is`() throws {
  var bench = try Bench.network()
  let key = AppKey()
  bench.keyring.set(key, of: try Bench.app("ferry"))
  _ = try bench.challenge()
  guard case .refuseProof(let error) = try bench.take("AUTH token=\(key.text)") else { throw CancellationError() }
  #expect(error.code == .authFailed)
}

@Test(arguments: [
  "HELLO 1 nonce=\(Bench.clientNonce)", "HELLO 1 app=ferry", "HELLO 1 app=../x nonce=\(Bench.clientNonce)",
])
func `a HELLO that lacks something is told so, and may be said again`(line: String) throws {
  var bench = try Bench.network()
  guard case .refuse(let error) = try bench.take(line) else { throw CancellationError() }
  #expect(error.code == .badArgument && !error.code.closes)
  _ = try bench.challenge()
}

@Test func `another version is refused before anything is proven`() throws {
  for var bench in [try Bench.network(), try Bench.socket(), Bench.owners()] {
    guard case .refuse(let error) = try bench.take("HELLO 2 app=ferry nonce=\(Bench.clientNonce)") else {
      throw CancellationError()
    }
    #expect(error.code == .protoMismatch && error.code.closes)
  }
}

@Test func `a line that cannot be read is told what is wrong with it only where it says what is expected`() throws {
  func refusal(_ bench: Bench, _ line: String) -> ErrorCode? {
    do throws(RejectedLine) {
      _ = try TaggedCommand(parsing: line)
      return nil
    } catch {
      return bench.authentication.refusal(of: error, saying: line).code
    }
  }
  var bench = try Bench.network()
  #expect(refusal(bench, "hello 1 app=a nonce=0") == .badArgument)
  #expect(refusal(bench, "@t HELLO x") == .badArgument)
  #expect(refusal(bench, "AUTH hmac=0") == .authRequired && refusal(bench, "NONSENSE") == .authRequired)
  _ = try bench.challenge()
  #expect(refusal(bench, "AUTH hmac=0") == .badArgument && refusal(bench, "@t auth") == .badArgument)
  #expect(refusal(bench, "HELLO x") == .authRequired && refusal(bench, "NONSENSE") == .authRequired)
}

@Test(arguments: ["SET", "@t set ferry status perhaps", "USE", "ANSWER x", "LOG limit=0", "KEY", "PRESS ms=0"])
func `a verb of owners is none of an app's, whatever follows it`(line: String) throws {
  for (name, code) in [("app", ErrorCode.notOwner), ("owner", .badArgument)] {
    var bench = name == "app" ? try Bench.socket() : Bench.owners()
    _ = try bench.take("HELLO 1 app=ferry")
    do throws(RejectedLine) {
      _ = try TaggedCommand(parsing: line)
      Issue.record("\(line) was taken")
    } catch {
      #expect(bench.authentication.refusal(of: error, saying: line).code == code)
    }
  }
}

@Test func `at a serial port the app is the configured one, whatever it says, and no other`() throws {
  let ferry = Identity(try Bench.app("ferry"), by: .transport)
  for (hello, isTaken) in [("HELLO 1", true), ("HELLO 1 app=ferry", true), ("HELLO 1 app=other", false)] {
    var bench = try Bench.port()
    #expect(bench.authentication.methods == "peer")
    switch try bench.take(hello) {
    case .welcome(_, let identity): #expect(isTaken && identity == ferry)
    case .refuse(let error): #expect(!isTaken && error.code == .authFailed)
    default: Issue.record("\(hello)")
    }
  }
  // Until both ends of a serial line are synchronized, the gateway answers invalid lines with an error.
  let (port, socket) = (try Bench.port().authentication, try Bench.socket().authentication)
  do throws(RejectedLine) {
    _ = try TaggedCommand(parsing: "PING\u{7}")
    Issue.record("a control character was taken")
  } catch {
    #expect(port.refusal(of: error, saying: "?").code == .badLine)
    #expect(socket.refusal(of: error, saying: "?").code == .authRequired)
  }
}
