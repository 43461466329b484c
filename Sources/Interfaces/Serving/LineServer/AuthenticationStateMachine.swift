import LineProtocol
import Ports

/// The state machine for the authentication of a client. The caller executes the steps that the state machine returns.
struct AuthenticationStateMachine {
  struct ConnectionInfo {
    var identification: Identification
    var transport: Transport
    var peer: Peer
    /// The name of the gateway, the field `id` of the gateway's first protocol line (INFO).
    var gateway: String
    /// The gateway's nonce in its first protocol line (INFO): 32 hexadecimal digits, new for each connection.
    var nonce: String
    /// The SHA-256 of the gateway's TLS certificate; empty without TLS. A proof that the client has a key contains this
    /// value, and is therefore valid only for this server.
    var binding = ""
    /// The fingerprint of the client's TLS certificate; nil if the client sent no certificate. A trusted authority has
    /// signed the certificate.
    var certificate: CertificateFingerprint?
    var keyring: Keyring
  }

  enum State {
    case awaitingHello
    /// The client sent the id of an app. The client must now prove with a credential that the client belongs to this
    /// app.
    case challenged(Challenge)
    case authenticated
  }

  struct Challenge {
    var hello: Hello
    var app: AppID
    /// The proof of the key that the gateway expects; nil if the client sent no nonce. A client without a nonce can
    /// only use a token.
    var proof: KeyProof?
  }

  /// The action that the gateway must take after a command of the client.
  enum Step: Hashable {
    /// The gateway must send the reply `+OK` with the given fields.
    case answer(ServerLine.Fields)
    case pong
    case help
    /// The gateway must send the reply `+OK`, and then close the connection.
    case goodbye
    case refuse(LineError)
    /// The gateway must refuse the client, because the credential is wrong. The reply must be delayed, so that an
    /// attacker can make few guesses.
    case refuseProof(LineError)
    /// The client has authenticated. The identity is nil if the client is an owner (administrator).
    case welcome(Hello, Identity?)
    case perform
  }

  let info: ConnectionInfo
  private(set) var state = State.awaitingHello

  init(_ info: ConnectionInfo) { self.info = info }

  var isOver: Bool { if case .authenticated = state { true } else { false } }

  /// The methods of authentication that the gateway offers in its first protocol line (INFO), separated by commas:
  ///
  /// - `peer`: the transport identifies the client, so no credential is necessary.
  /// - `hmac`: the client can use a key.
  /// - `token`: the client can use a token over TLS.
  /// - `certificate`: the client sent a certificate.
  var methods: String {
    switch info.identification {
    case .owners, .kernel, .port: "peer"
    case .proof:
      (info.certificate == nil ? "" : "certificate,") + "hmac" + (acceptsTokens ? ",token" : "")
    }
  }

  /// Whether the gateway accepts tokens. The value is true only over TLS, because other transports would send the token
  /// unencrypted.
  private var acceptsTokens: Bool { info.transport == .tls }

  mutating func handle(_ command: Command) -> Step {
    switch (command, state) {
    case (.ping, _): .pong
    case (.help, _): .help
    case (.bye, .challenged), (.bye, .authenticated): .goodbye
    case (.hello(let hello), .awaitingHello): handle(hello)
    case (.authenticate(let credential), .challenged(let challenge)): verify(credential, challenge)
    case (.hello, .authenticated): .refuse(LineError(.badArgument, "the client has already sent HELLO"))
    case (.authenticate, .authenticated):
      .refuse(
        LineError(.badArgument, "the client is already authenticated (send AUTH only after the reply auth=required)"))
    case (.owner, .authenticated) where info.identification.role != .owner:
      .refuse(notOwner)
    case (_, .authenticated): .perform
    case (_, .awaitingHello), (_, .challenged): .refuse(refusal)
    }
  }

  /// Starts the authentication again from the first command, after the gateway refused the client.
  mutating func reset() { state = .awaitingHello }

  /// Returns the error for a protocol line that could not be parsed. Before authentication, the error tells the client
  /// the next necessary command.
  /// - Parameter line: The text of the line.
  func refusal(of rejected: RejectedLine, saying line: String) -> LineError {
    let verb = line.split(separator: " ").first { $0.first != "@" }?.uppercased()
    switch state {
    case .authenticated where info.identification.role != .owner && verb.map(Command.isOwners(verb:)) ?? false:
      return notOwner
    case .awaitingHello where verb == "HELLO", .challenged where verb == "AUTH", .authenticated: return rejected.error
    // On a serial port the first bytes may be noise, which damages the first line. The client gets the error of this
    // line, and not the general refusal, so that the client knows that its line was damaged.
    case .awaitingHello where info.transport == .serial: return rejected.error
    case .awaitingHello, .challenged: return refusal
    }
  }

  private var notOwner: LineError { LineError(.notOwner, "the command is for owners (use the socket owner.sock)") }

  private var refusal: LineError {
    switch state {
    case .awaitingHello, .authenticated: LineError(.authRequired, "the first command must be HELLO: HELLO 1 app=ID")
    case .challenged: LineError(.authRequired, "the next command must authenticate the app: AUTH hmac=HEX")
    }
  }

  private mutating func handle(_ hello: Hello) -> Step {
    guard hello.versions.contains(1) || hello.versions.isEmpty else {
      return .refuse(LineError(.protoMismatch, "this gateway supports only version 1 of the protocol"))
    }
    switch info.identification {
    case .owners:
      state = .authenticated
      return .welcome(hello, nil)
    case .kernel(let rules):
      switch rules.value.identify(hello.app, info.peer) {
      case .failure(let refusal): return .refuse(LineError(.authFailed, refusal.text))
      case .success(let app):
        state = .authenticated
        return .welcome(hello, Identity(app, by: .transport))
      }
    case .proof(let certificates): return challenge(hello, certificates.value)
    case .port(let app):
      guard hello.app == nil || hello.app == app.name else {
        return .refuse(LineError(.authFailed, "this port belongs to app \(app) (see [[serial]] in onefix.toml)"))
      }
      state = .authenticated
      return .welcome(hello, Identity(app, by: .transport))
    }
  }

  /// Returns the next step for a client that sent the id of an app. The reply has the same form for configured and
  /// unknown apps, so that the reply does not reveal the configured apps.
  private mutating func challenge(_ hello: Hello, _ certificates: [AppID: CertificateFingerprint]) -> Step {
    guard let name = hello.app else {
      return .refuse(LineError(.badArgument, "the app id is missing: HELLO 1 app=ID nonce=HEX"))
    }
    guard let app = AppID(name) else { return .refuse(LineError(.badArgument, IdentityRules.idRule)) }
    if let certificate = info.certificate, certificates[app] == certificate {
      state = .authenticated
      return .welcome(hello, Identity(app, by: .certificate(certificate)))
    }
    guard let nonce = hello.nonce else {
      guard acceptsTokens else {
        return .refuse(
          LineError(.badArgument, "the nonce is missing: nonce=HEX with 32 random hexadecimal digits"))
      }
      state = .challenged(Challenge(hello: hello, app: app, proof: nil))
      return .answer(["auth": "required"])
    }
    let proof = KeyProof(
      gateway: info.gateway, app: name, serverNonce: info.nonce, clientNonce: nonce,
      binding: info.binding)
    // If the app has no key, a random key is used. The time of the answer then does not reveal whether the app has a
    // key.
    let dummy = AppKey()
    let key = info.keyring.key(of: app)?.key ?? dummy
    state = .challenged(Challenge(hello: hello, app: app, proof: proof))
    return .answer(["auth": "required", "proof": proof.digits(.server, with: key.secret)])
  }

  private mutating func verify(_ credential: Credential, _ challenge: Challenge) -> Step {
    switch credential {
    case .token where !acceptsTokens:
      return .refuseProof(LineError(.authFailed, "a token is accepted only over TLS (use AUTH hmac=HEX)"))
    case .token(let token):
      let dummy = TokenHash(of: AppKey())
      let found = info.keyring.token(of: challenge.app)
      let isRight = (found?.hash ?? dummy).isHash(of: token)
      guard isRight, let found else {
        return .refuseProof(LineError(.authFailed, "the token does not belong to this app"))
      }
      state = .authenticated
      return .welcome(challenge.hello, Identity(challenge.app, by: .token(found.number)))
    case .hmac(let digits):
      let dummy = AppKey()
      // The key is read again, because an owner may have revoked it after the client's HELLO.
      let found = info.keyring.key(of: challenge.app)
      let isRight = challenge.proof?.isRight(digits, of: .client, with: (found?.key ?? dummy).secret) ?? false
      guard isRight, let found else {
        return .refuseProof(LineError(.authFailed, "the proof does not match this app's key"))
      }
      state = .authenticated
      return .welcome(challenge.hello, Identity(challenge.app, by: .key(found.number)))
    }
  }
}
