import Authorization
import Handshake
import LineProtocol

/// How a client says who it is, and proves it: what comes before everything else. A value; it reads no clock and sends
/// nothing.
struct Introduction {
  /// What is known of a connection before its client says anything.
  struct Circumstances {
    var identification: Identification
    var transport: Transport
    var peer: Peer
    /// As INFO gives it.
    var gateway: String
    /// 32 hexadecimal digits, as INFO gives them: new for each connection.
    var nonce: String
    /// See `KeyProof`.
    var binding = ""
    /// The SHA-256 of the certificate that the client showed and that leads to a trusted root; nil where it showed none.
    var certificate: TLSIdentity.Fingerprint?
    var keyring: Keyring
  }

  enum State {
    /// Nothing was said that counts.
    case awaited
    /// It claims to be an app, and has to prove it.
    case challenged(Challenge)
    case introduced
  }

  struct Challenge {
    var hello: Hello
    var app: AppID
    /// Nil where the client gave no nonce: then a key proves nothing.
    var proof: KeyProof?
  }

  /// What follows from a command.
  enum Step: Hashable {
    /// `+OK`
    case answer(ServerLine.Fields)
    case pong
    case help
    /// `+OK`, and the conversation is over.
    case part
    case refuse(LineError)
    /// It is not who it claims to be: what others try after it is slowed down.
    case refuseProof(LineError)
    /// The client is known: an app, or an owner.
    case welcome(Hello, Identity?)
    /// A command of a client that is known.
    case perform
  }

  let circumstances: Circumstances
  private(set) var state = State.awaited

  init(_ circumstances: Circumstances) { self.circumstances = circumstances }

  var isOver: Bool { if case .introduced = state { true } else { false } }

  /// How a client of this connection may prove itself, as INFO says, one or more with commas between: `peer` where the
  /// transport tells who it is, `hmac` by a key, `token` by one over TLS, and first `certificate` where it has shown one
  /// that may be an app's.
  var methods: String {
    switch circumstances.identification {
    case .owners, .kernel, .port: "peer"
    case .proof:
      (circumstances.certificate == nil ? "" : "certificate,") + "hmac" + (takesTokens ? ",token" : "")
    }
  }

  /// Over anything else somebody on the way could read them.
  private var takesTokens: Bool { circumstances.transport == .tls }

  mutating func take(_ command: Command) -> Step {
    switch (command, state) {
    case (.ping, _): .pong
    case (.help, _): .help
    case (.bye, .challenged), (.bye, .introduced): .part
    case (.hello(let hello), .awaited): take(hello)
    case (.authenticate(let credential), .challenged(let challenge)): take(credential, challenge)
    case (.hello, .introduced): .refuse(LineError(.badArgument, "HELLO was said already"))
    case (.authenticate, .introduced):
      .refuse(LineError(.badArgument, "who speaks here is known already; AUTH follows a HELLO that asks for it"))
    case (.owner, .introduced) where circumstances.identification.role != .owner:
      .refuse(notOwner)
    case (_, .introduced): .perform
    case (_, .awaited), (_, .challenged): .refuse(refusal)
    }
  }

  /// Whoever is there was not welcome: it is as if they had said nothing.
  mutating func beginAnew() { state = .awaited }

  /// What a line is told that could not be read, unless it says what is expected now.
  func refusal(of rejected: RejectedLine, saying line: String) -> LineError {
    let verb = line.split(separator: " ").first { $0.first != "@" }?.uppercased()
    switch state {
    case .introduced where circumstances.identification.role != .owner && verb.map(Command.isOwners(verb:)) ?? false:
      return notOwner
    case .awaited where verb == "HELLO", .challenged where verb == "AUTH", .introduced: return rejected.error
    // What comes over a cable before it is in step is garbage.
    case .awaited where circumstances.transport == .serial: return rejected.error
    case .awaited, .challenged: return refusal
    }
  }

  private var notOwner: LineError { LineError(.notOwner, "owners speak on the owners' socket, owner.sock") }

  private var refusal: LineError {
    switch state {
    case .awaited, .introduced: LineError(.authRequired, "say HELLO first: HELLO 1 app=ID")
    case .challenged: LineError(.authRequired, "prove first who you are: AUTH hmac=HEX")
    }
  }

  private mutating func take(_ hello: Hello) -> Step {
    guard hello.versions.contains(1) || hello.versions.isEmpty else {
      return .refuse(LineError(.protoMismatch, "this gateway speaks version 1"))
    }
    switch circumstances.identification {
    case .owners:
      state = .introduced
      return .welcome(hello, nil)
    case .kernel(let rules):
      switch rules.value.identify(hello.app, circumstances.peer) {
      case .failure(let refusal): return .refuse(LineError(.authFailed, refusal.text))
      case .success(let app):
        state = .introduced
        return .welcome(hello, Identity(app, by: .transport))
      }
    case .proof(let certificates): return challenge(hello, certificates.value)
    case .port(let app):
      guard hello.app == nil || hello.app == app.name else {
        return .refuse(LineError(.authFailed, "this port is the app \(app)'s; see [[serial]] in onefix.toml"))
      }
      state = .introduced
      return .welcome(hello, Identity(app, by: .transport))
    }
  }

  /// Whoever claims to be an app that there is not, or that has no key, is challenged as any other: which apps there are
  /// is nobody's business.
  private mutating func challenge(_ hello: Hello, _ certificates: [AppID: TLSIdentity.Fingerprint]) -> Step {
    guard let name = hello.app else {
      return .refuse(LineError(.badArgument, "say which app you are: HELLO 1 app=ID nonce=HEX"))
    }
    guard let app = AppID(name) else { return .refuse(LineError(.badArgument, IdentityRules.idRule)) }
    if let certificate = circumstances.certificate, certificates[app] == certificate {
      state = .introduced
      return .welcome(hello, Identity(app, by: .certificate(certificate)))
    }
    guard let nonce = hello.nonce else {
      guard takesTokens else {
        return .refuse(
          LineError(.badArgument, "give 32 random hexadecimal digits, to prove yourself by a key: nonce=HEX"))
      }
      state = .challenged(Challenge(hello: hello, app: app, proof: nil))
      return .answer(["auth": "required"])
    }
    let proof = KeyProof(
      gateway: circumstances.gateway, app: name, serverNonce: circumstances.nonce, clientNonce: nonce,
      binding: circumstances.binding)
    // Made whether it is needed or not: how long the answer takes tells nothing, either.
    let nobodys = AppKey()
    let key = circumstances.keyring.key(of: app)?.key ?? nobodys
    state = .challenged(Challenge(hello: hello, app: app, proof: proof))
    return .answer(["auth": "required", "proof": proof.digits(.server, with: key.secret)])
  }

  private mutating func take(_ credential: Credential, _ challenge: Challenge) -> Step {
    switch credential {
    case .token where !takesTokens:
      return .refuseProof(LineError(.authFailed, "a token is taken over TLS only: AUTH hmac=HEX"))
    case .token(let token):
      let nobodys = TokenHash(of: AppKey())
      let found = circumstances.keyring.token(of: challenge.app)
      let isRight = (found?.hash ?? nobodys).isHash(of: token)
      guard isRight, let found else {
        return .refuseProof(LineError(.authFailed, "that is not the token of this app"))
      }
      state = .introduced
      return .welcome(challenge.hello, Identity(challenge.app, by: .token(found.number)))
    case .hmac(let digits):
      let nobodys = AppKey()
      // It may have been revoked since HELLO.
      let found = circumstances.keyring.key(of: challenge.app)
      let isRight = challenge.proof?.isRight(digits, of: .client, with: (found?.key ?? nobodys).secret) ?? false
      guard isRight, let found else {
        return .refuseProof(LineError(.authFailed, "that is not the proof of this app's key"))
      }
      state = .introduced
      return .welcome(challenge.hello, Identity(challenge.app, by: .key(found.number)))
    }
  }
}
