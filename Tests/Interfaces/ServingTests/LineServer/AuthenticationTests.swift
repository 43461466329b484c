import Base
import LineProtocol
import NIOCore
import Ports
import Testing

@testable import Serving

/// A connection's authentication, with a keyring in which `ferry` has a key.
private struct Bench {
  static let serverNonce = "00112233445566778899aabbccddeeff"
  static let clientNonce = "ffeeddccbbaa99887766554433221100"
  static let key = AppKey()
  static let binding = String(repeating: "ab", count: 32)
  /// The certificate that is configured for `ferry`.
  static let certificate = [UInt8](repeating: 7, count: 32)

  let keyring = Keyring()
  var authentication: AuthenticationStateMachine

  init(
    _ identification: Identification, transport: Transport, peer: Peer, binding: String = "",
    certificate: [UInt8]? = nil
  ) throws {
    authentication = AuthenticationStateMachine(
      .init(
        identification: identification, transport: transport, peer: peer, gateway: "boat-7",
        nonce: Bench.serverNonce, binding: binding, certificate: certificate, keyring: keyring))
    keyring.set(Bench.key, of: try Bench.app("ferry"))
  }

  static func network() throws -> Bench { try Bench(.proof(), transport: .tcp, peer: machine()) }

  /// - Parameter certificate: The certificate of the client.
  static func encrypted(certificate: [UInt8]? = nil) throws -> Bench {
    try Bench(
      .proof(certificates: Reloadable([app("ferry"): Bench.certificate])), transport: .tls, peer: machine(),
      binding: binding, certificate: certificate)
  }

  private static func machine() throws -> Peer {
    .machine(try #require(NetworkAddress(try SocketAddress(ipAddress: "127.0.0.1", port: 40_000))))
  }

  static func socket() throws -> Bench {
    let rules = IdentityRules(apps: [IdentityRule(app: try app("ferry"), holder: .uid(1000))])
    return try Bench(.kernel(Reloadable(rules)), transport: .unix, peer: .process(uid: 1000))
  }

  static func port() throws -> Bench {
    try Bench(.port(app("ferry")), transport: .serial, peer: .port("/dev/ttyS1"))
  }

  static func owners() throws -> Bench { try Bench(.owners, transport: .unix, peer: .process(uid: 0)) }

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

  /// Sends the proof of a key after the challenge.
  mutating func prove(
    _ app: String = "ferry", with key: AppKey = key, binding: String = ""
  ) throws -> AuthenticationStateMachine.Step {
    try take("AUTH hmac=\(Bench.proof(of: app, binding: binding).digits(.client, with: key.secret))")
  }

  /// Returns the code of the refusal of a line that cannot be parsed; nil if it can be parsed.
  func refusal(ofInvalid line: String) -> ErrorCode? {
    do throws(RejectedLine) {
      _ = try TaggedCommand(parsing: line)
      return nil
    } catch {
      return authentication.refusal(of: error, saying: line).code
    }
  }

  struct Unexpected: Error { var step: AuthenticationStateMachine.Step }
}

extension AuthenticationStateMachine.Step {
  fileprivate var refusal: ErrorCode? { if case .refuse(let error) = self { error.code } else { nil } }
  fileprivate var refusalOfProof: LineError? { if case .refuseProof(let error) = self { error } else { nil } }
  /// The identity of an app that is welcome.
  fileprivate var identity: Identity? { if case .welcome(_, let identity) = self { identity } else { nil } }
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
  for var bench in [try Bench.network(), try Bench.encrypted(), try Bench.socket(), try Bench.owners()] {
    #expect(try bench.take(line).refusal == .authRequired && ErrorCode.authRequired.closes)
    #expect(!bench.authentication.isOver)
  }
}

@Test(arguments: others + ["HELLO 1 app=ferry nonce=\(Bench.clientNonce)", "HELLO 1 app=ferry"])
func `between HELLO and AUTH everything but AUTH, PING, HELP and BYE ends the connection`(line: String) throws {
  for var bench in [try Bench.network(), try Bench.encrypted(), try Bench.encrypted(certificate: [1])] {
    _ = try bench.challenge()
    #expect(try bench.take(line).refusal == .authRequired)
    #expect(!bench.authentication.isOver)
  }
}

@Test func `PING and HELP are answered at any time, and BYE after HELLO`() throws {
  var challenged = try Bench.network()
  _ = try challenged.challenge()
  var proven = challenged
  _ = try proven.prove()
  #expect(proven.authentication.isOver)
  for var bench in [try Bench.network(), challenged, proven, try Bench.socket(), try Bench.owners()] {
    #expect(try bench.take("PING") == .pong)
    #expect(try bench.take("HELP") == .help)
  }
  for var bench in [challenged, proven] { #expect(try bench.take("BYE") == .goodbye) }
}

@Test(arguments: others)
func `who is known may say everything but HELLO, AUTH and what is the owners'`(line: String) throws {
  var known = [try Bench.network(), try Bench.socket()]
  _ = try known[0].challenge()
  _ = try known[0].prove()
  _ = try known[1].take("HELLO 1 app=ferry")
  for var bench in known {
    #expect(bench.authentication.isOver)
    let step = try bench.take(line)
    #expect(ownersOnly.contains(line) ? step.refusal == .notOwner : step == .perform)
    for said in ["HELLO 1 app=ferry", auth, "AUTH token=secret"] {
      #expect(try bench.take(said).refusal == .badArgument, "\(said)")
    }
  }
  var owner = try Bench.owners()
  #expect(try owner.take("HELLO 1") == .welcome(Hello(app: nil), nil))
  #expect(try owner.take(line) == .perform)
}

@Test func `the gateway shows that it has the key before the app does, and the app is welcome only then`() throws {
  var bench = try Bench.network()
  #expect(try bench.challenge() == Bench.proof(of: "ferry").digits(.server, with: Bench.key.secret))
  let step = try bench.prove()
  guard case .welcome(let hello, let identity?) = step else { throw Bench.Unexpected(step: step) }
  #expect(hello.app == "ferry" && identity.app.name == "ferry" && bench.keyring.holds(identity))
}

@Test func `the gateway's own proof is none of the app's`() throws {
  var bench = try Bench.network()
  let theirs = try bench.challenge()
  #expect(try bench.take("AUTH hmac=\(theirs)").refusalOfProof?.code == .authFailed && ErrorCode.authFailed.closes)
}

@Test(arguments: ["ferry", "nobody", "keyless"])
func `an app without a key, and none at all, look like one whose key is another`(name: String) throws {
  var bench = try Bench.network()
  #expect(try bench.challenge(name).wholeMatch(of: /[0-9a-f]{64}/) != nil)
  let refusal = try bench.prove(name, with: AppKey()).refusalOfProof
  #expect(refusal == LineError(.authFailed, "the proof does not match this app's key"))
  #expect(!bench.authentication.isOver)
}

@Test(arguments: [nil, AppKey()])
func `a key that was revoked or replaced after HELLO proves nothing`(replacement: AppKey?) throws {
  var bench = try Bench.network()
  _ = try bench.challenge()
  bench.keyring.set(replacement, of: try Bench.app("ferry"))
  #expect(try bench.prove().refusalOfProof != nil)
}

@Test func `INFO says how a client may prove itself on this connection`() throws {
  let benches = [
    try Bench.owners(), try Bench.socket(), try Bench.port(), try Bench.network(), try Bench.encrypted(),
    try Bench.encrypted(certificate: [1]),
  ]
  #expect(
    benches.map(\.authentication.methods) == ["peer", "peer", "peer", "hmac", "hmac,token", "certificate,hmac,token"])
}

@Test(arguments: [(Bench.binding, true), ("", false), (String(repeating: "ac", count: 32), false)])
func `under TLS a proof is bound to the server's certificate`(binding: String, isRight: Bool) throws {
  var bench = try Bench.encrypted()
  let theirs = Bench.proof(of: "ferry", binding: binding).digits(.server, with: Bench.key.secret)
  #expect(try (bench.challenge() == theirs) == isRight)
  #expect(try (bench.prove(binding: binding).identity != nil) == isRight)
}

@Test(arguments: ["HELLO 1 app=ferry", "HELLO 1 app=ferry nonce=\(Bench.clientNonce)"])
func `over TLS a token proves the app that it was made for, with a nonce or without`(hello: String) throws {
  let (token, other) = (AppKey(), AppKey())
  for (said, isRight) in [(token, true), (other, false), (AppKey(), false)] {
    var bench = try Bench.encrypted()
    bench.keyring.set(TokenHash(of: token), of: try Bench.app("ferry"))
    bench.keyring.set(TokenHash(of: other), of: try Bench.app("other"))
    guard case .answer(let fields) = try bench.take(hello) else { throw CancellationError() }
    #expect(fields["auth"] == "required" && (fields["proof"] == nil) == !hello.contains("nonce"))
    let step = try bench.take("AUTH token=\(said.text)")
    #expect(step.identity.map(bench.keyring.holds) == (isRight ? true : nil))
    #expect(step.refusalOfProof?.code == (isRight ? nil : .authFailed))
  }
}

@Test func `a key is no token, a token no key, and a hash neither`() throws {
  var bench = try Bench.encrypted()
  _ = try bench.challenge()
  #expect(try bench.take("AUTH token=\(Bench.key.text)").refusalOfProof != nil)
  let token = AppKey()
  for said in [token.bytes, TokenHash(of: token).bytes] {
    var bench = try Bench.encrypted()
    bench.keyring.set(TokenHash(of: token), of: try Bench.app("keyless"))
    _ = try bench.challenge("keyless")
    let wrong = try #require(AppKey(bytes: said))
    #expect(try bench.prove("keyless", with: wrong, binding: Bench.binding).refusalOfProof != nil)
  }
}

@Test func `the certificate that is configured proves an app, and any other leaves it to a key`() throws {
  var right = try Bench.encrypted(certificate: Bench.certificate)
  let identity = Identity(try Bench.app("ferry"), by: .certificate(Bench.certificate))
  #expect(try right.take("HELLO 1 app=ferry").identity == identity && right.authentication.isOver)
  for (app, shown) in [("other", Bench.certificate), ("ferry", [UInt8](repeating: 8, count: 32)), ("ferry", nil)] {
    var bench = try Bench.encrypted(certificate: shown)
    _ = try bench.challenge(app)
    #expect(!bench.authentication.isOver)
  }
}

@Test func `without a nonce a key proves nothing, and over TCP a token is no proof`() throws {
  var (encrypted, network) = (try Bench.encrypted(), try Bench.network())
  _ = try encrypted.take("HELLO 1 app=ferry")
  #expect(try encrypted.take(auth).refusalOfProof != nil)
  _ = try network.challenge()
  #expect(try network.take("AUTH token=\(Bench.key.text)").refusalOfProof?.code == .authFailed)
}

@Test(arguments: [
  "HELLO 1 nonce=\(Bench.clientNonce)", "HELLO 1 app=ferry", "HELLO 1 app=../x nonce=\(Bench.clientNonce)",
])
func `a HELLO that lacks something is told so, and may be said again`(line: String) throws {
  var bench = try Bench.network()
  #expect(try bench.take(line).refusal == .badArgument && !ErrorCode.badArgument.closes)
  _ = try bench.challenge()
}

@Test func `another version is refused before anything is proven`() throws {
  for var bench in [try Bench.network(), try Bench.socket(), try Bench.owners()] {
    #expect(try bench.take("HELLO 2 app=ferry nonce=\(Bench.clientNonce)").refusal == .protoMismatch)
  }
  #expect(ErrorCode.protoMismatch.closes)
}

@Test func `a line that cannot be read is told what is wrong with it only where it says what is expected`() throws {
  var bench = try Bench.network()
  for line in ["hello 1 app=a nonce=0", "@t HELLO x"] { #expect(bench.refusal(ofInvalid: line) == .badArgument) }
  for line in ["AUTH hmac=0", "NONSENSE"] { #expect(bench.refusal(ofInvalid: line) == .authRequired) }
  _ = try bench.challenge()
  for line in ["AUTH hmac=0", "@t auth"] { #expect(bench.refusal(ofInvalid: line) == .badArgument) }
  for line in ["HELLO x", "NONSENSE"] { #expect(bench.refusal(ofInvalid: line) == .authRequired) }
}

@Test(arguments: ["SET", "@t set ferry status perhaps", "USE", "ANSWER x", "LOG limit=0", "KEY", "PRESS ms=0"])
func `a verb of owners is none of an app's, whatever follows it`(line: String) throws {
  for (var bench, code) in [(try Bench.socket(), ErrorCode.notOwner), (try Bench.owners(), .badArgument)] {
    _ = try bench.take("HELLO 1 app=ferry")
    #expect(bench.refusal(ofInvalid: line) == code)
  }
}

@Test func `at a serial port the app is the configured one, whatever it says, and no other`() throws {
  let ferry = Identity(try Bench.app("ferry"), by: .transport)
  for (hello, isTaken) in [("HELLO 1", true), ("HELLO 1 app=ferry", true), ("HELLO 1 app=other", false)] {
    var bench = try Bench.port()
    let step = try bench.take(hello)
    #expect(step.identity == (isTaken ? ferry : nil) && step.refusal == (isTaken ? nil : .authFailed), "\(hello)")
  }
  // Until both ends of a serial line are synchronized, the gateway answers invalid lines with an error.
  #expect(try Bench.port().refusal(ofInvalid: "PING\u{7}") == .badLine)
  #expect(try Bench.socket().refusal(ofInvalid: "PING\u{7}") == .authRequired)
}
