import Base
import LineProtocol

extension Link {
  /// Sends the command HELLO, which begins a session. If the transport does not identify the app, the function also
  /// authenticates the app with the credential in `endpoint`. Returns the fields of the gateway's last reply.
  ///
  /// - Parameters:
  ///   - app: The app's id; nil on the Unix socket for owners (administrators).
  ///   - keepalive: The interval between pings in seconds; 0 disables pings.
  ///   - session: The token of the session to resume; nil for a new session.
  func authenticate(app: String?, keepalive: Int, session: String? = nil) async throws(LinkError) -> ServerLine.Fields {
    var hello = Hello(app: app, keepalive: keepalive, session: session)
    hello.usesCRC = await offerChecksums()
    let fields: ServerLine.Fields
    switch endpoint {
    case .unix, .serial, .tls(_, _, .certificate, _):
      fields = try await send(.hello(hello))
    case .tcp(_, _, let key), .tls(_, _, .key(let key), _):
      hello.nonce = randomDigits()
      fields = try await prove(key, try await send(.hello(hello)), hello)
    case .tls(_, _, .token(let token), _):
      hello.nonce = randomDigits()
      let answer = try await send(.hello(hello))
      fields = answer["auth"] == "required" ? try await send(.authenticate(.token(token.text))) : answer
    }
    if fields["auth"] == "required" {
      throw .refused(LineError(.authRequired, "the gateway requires authentication with a key or a token"))
    }
    noteAuthenticated(keepalive: keepalive)
    return fields
  }

  /// Authenticates the app with a key, and returns the fields of the gateway's last reply. First the gateway proves
  /// that the gateway has the key, and then the client proves the same.
  private func prove(
    _ key: OneFixClient.Key, _ answer: ServerLine.Fields, _ hello: Hello
  ) async throws(LinkError) -> ServerLine.Fields {
    let greeting = await greeting
    let proof = KeyProof(
      gateway: greeting["id"] ?? "", app: hello.app ?? "", serverNonce: greeting["nonce"] ?? "",
      clientNonce: hello.nonce ?? "", binding: await certificate().map(KeyProof.binding) ?? "")
    guard let claimed = answer["proof"], proof.isRight(claimed, of: .server, with: key.secret) else {
      let error = LinkError.untrusted(cause: "it did not prove that it has this app's key (is the key right?)")
      fail(error)
      throw error
    }
    return try await send(.authenticate(.hmac(proof.digits(.client, with: key.secret))))
  }
}
