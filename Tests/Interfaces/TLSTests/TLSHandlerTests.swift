import COpenSSL
import NIOCore
import NIOEmbedded
import NIOTLS
import SeededNumbers
import Testing

@testable import TLS

extension TLSContext {
  static func server(_ certificates: String..., key: String = Certificates.key, clients: String? = nil) throws
    -> TLSContext
  {
    try TLSContext(
      server: Identity(certificates: .text(certificates.joined(separator: "\n")), privateKey: .text(key)),
      clientAuthorities: clients.map { .text($0) })
  }

  static func client(_ authorities: String = Certificates.authority, _ identity: Identity? = nil) throws -> TLSContext {
    try TLSContext(client: .text(authorities), identity: identity)
  }
}

/// One end of a connection: a channel with the TLS handler, and the reports of the handler.
private final class End {
  final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var received: [UInt8] = []
    var errors: [TLSError] = []
    var isShaken = false
    var isActive: Bool?
    /// Runs at each received chunk.
    var onRead: (ChannelHandlerContext) -> Void = { _ in }

    func channelActive(context: ChannelHandlerContext) { isActive = true }

    func channelInactive(context: ChannelHandlerContext) { isActive = false }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received += unwrapInboundIn(data).readableBytesView
      onRead(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case TLSUserEvent.handshakeCompleted = event { isShaken = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if let error = error as? TLSError { errors.append(error) }
    }
  }

  let channel: EmbeddedChannel
  let tls: TLSHandler
  let recorder = Recorder()

  init(_ tls: TLSHandler, _ loop: EmbeddedEventLoop) throws {
    self.tls = tls
    channel = EmbeddedChannel(loop: loop)
    try channel.pipeline.syncOperations.addHandlers([tls, recorder])
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "/peer"), promise: nil)
  }

  func send(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  /// Returns the bytes for the peer.
  func output() -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try? channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    return bytes
  }

  func receive(_ bytes: some Sequence<UInt8>) {
    guard channel.isActive else { return }
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
  }
}

/// A server and a client, each with its own channel.
private struct Pair {
  let loop = EmbeddedEventLoop()
  let server: End
  let client: End

  init(
    _ server: TLSContext? = nil, _ client: TLSContext? = nil, host: String = "gateway.example"
  ) throws {
    self.server = try End(
      TLSHandler(server: try server ?? .server(Certificates.server, Certificates.intermediate)), loop)
    self.client = try End(TLSHandler(client: try client ?? .client(), host: host), loop)
  }

  /// Carries bytes in both directions until none is left.
  /// - Parameter chunks: The count of bytes of the next chunk.
  func exchange(chunks: () -> Int = { .max }) {
    while true {
      let (up, down) = (client.output(), server.output())
      if up.isEmpty, down.isEmpty { return }
      for (bytes, end) in [(up, server), (down, client)] {
        var rest = bytes[...]
        while !rest.isEmpty {
          let chunk = rest.prefix(max(1, chunks()))
          rest = rest.dropFirst(chunk.count)
          end.receive(chunk)
        }
      }
      loop.run()
    }
  }
}

@Suite struct TLSHandlerTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `bytes arrive unchanged and in order, however the network cuts them`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let longest = [1, 7, 100, 20_000][Int(seed % 4)]
    let pair = try Pair()
    let chunks = { Int.random(in: 1...longest, using: &random) }
    var sent: (up: [UInt8], down: [UInt8]) = ([], [])
    // The first bytes wait for the end of the handshake.
    for count in longest < 100 ? [5, 0, 1, 300] : [5, 0, 1, 16_384, 16_385, 40_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
      _ = pair.client.send(bytes)
      _ = pair.server.send(bytes.reversed())
      sent.up += bytes
      sent.down += bytes.reversed()
      if count > 5 { pair.exchange(chunks: chunks) }
    }
    pair.exchange(chunks: chunks)
    #expect(pair.server.recorder.received == sent.up && pair.client.recorder.received == sent.down)
    #expect(pair.server.recorder.isShaken && pair.client.recorder.isShaken)
    #expect(pair.server.recorder.errors == [] && pair.client.recorder.errors == [])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a changed, removed or additional byte ends the connection, and nobody receives other bytes than were sent`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let pair = try Pair()
    let sent = [UInt8](repeating: 7, count: 300)
    _ = pair.client.send(sent)
    _ = pair.server.send(sent)
    let end = Bool.random(using: &random) ? pair.client : pair.server
    let peer = end === pair.client ? pair.server : pair.client
    let flight = Int.random(in: 0..<3, using: &random)
    for number in 0..<8 {
      var bytes = end.output()
      if number == flight, let place = bytes.indices.randomElement(using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(.random(in: 0...255, using: &random), at: place)
        }
      }
      peer.receive(bytes)
      end.receive(peer.output())
    }
    for end in [end, peer] {
      #expect(sent.starts(with: end.recorder.received), "only a prefix of the sent bytes may arrive")
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a peer that sends no TLS is disconnected with an error`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pair = try Pair()
    let bytes =
      switch seed {
      case 0: Array("GET / HTTP/1.1\r\nHost: gateway.example\r\n\r\n".utf8)
      case 1: Array("HELLO 1 app=ferry\n".utf8)
      default: (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    for end in [pair.server, pair.client] {
      end.receive(bytes)
      end.channel.pipeline.fireChannelInactive()
      #expect(end.recorder.errors.count == 1 && end.recorder.received.isEmpty && !end.recorder.isShaken)
      if seed < 2 { #expect(end.recorder.errors == [.notTLS]) }
    }
  }

  // MARK: Certificates

  @Test(
    arguments: [
      ("gateway.example", nil), ("GATEWAY.example", nil), ("one.boats.example", nil), ("192.0.2.1", nil),
      ("2001:db8::1", nil), ("boats.example", .wrongName), ("one.two.boats.example", .wrongName),
      ("192.0.2.2", .wrongName), ("gateway", .wrongName), ("gateway.example.org", .wrongName),
      ("gateway.example.", nil),
    ] as [(String, TLSError?)])
  func `a client accepts only the names and addresses in a certificate`(host: String, error: TLSError?) throws {
    let pair = try Pair(host: host)
    pair.exchange()
    #expect(pair.client.recorder.errors == (error.map { [$0] } ?? []))
    #expect(pair.client.recorder.isShaken == (error == nil))
    #expect(pair.server.recorder.errors.isEmpty == (error == nil))
  }

  @Test(arguments: ["", ".", ".boats.example", "gateway.example\0.org"])
  func `a host that is no name is refused before the handshake`(host: String) throws {
    let context = try TLSContext.client()
    #expect(throws: TLSError.wrongName) { try TLSHandler(client: context, host: host) }
  }

  private static let root = Certificates.authority
  private static let chain = [Certificates.server, Certificates.intermediate]

  @Test(
    arguments: [
      ([Certificates.expired, Certificates.intermediate], [root], .expired),
      ([Certificates.future, Certificates.intermediate], [root], .notYetValid),
      ([Certificates.server], [root], .untrusted("unable to get local issuer certificate")),
      // An authority that has expired is named, unless the client has a valid certificate of this authority, too.
      (chain, [Certificates.oldAuthority], .expired), (chain, [Certificates.oldAuthority, root], nil),
      // The client may have any certificate of the chain.
      (chain, [Certificates.intermediate], nil), ([Certificates.server], [Certificates.server], nil),
      // A self-signed certificate is trusted only if the client has the certificate.
      ([Certificates.stranger], [root, Certificates.stranger], nil),
      ([Certificates.stranger], [root], .untrusted("self-signed certificate")),
    ] as [([String], [String], TLSError?)])
  func `a client trusts a valid certificate of its authorities, and says why it does not trust another`(
    chain: [String], authorities: [String], error: TLSError?
  ) throws {
    let key = chain == [Certificates.stranger] ? Certificates.strangerKey : Certificates.key
    let pair = try Pair(
      .server(chain.joined(separator: "\n"), key: key), .client(authorities.joined(separator: "\n")))
    pair.exchange()
    #expect(pair.client.recorder.errors == (error.map { [$0] } ?? []))
    let states = [pair.client.recorder.isShaken, pair.client.channel.isActive, pair.server.channel.isActive]
    #expect(states == Array(repeating: error == nil, count: 3))
  }

  @Test(
    arguments: [
      ([], nil, true), ([Certificates.server, Certificates.intermediate], Certificates.key, true),
      ([Certificates.expired, Certificates.intermediate], Certificates.key, false),
      ([Certificates.stranger], Certificates.strangerKey, false),
    ] as [([String], String?, Bool)])
  func `a client may have no certificate, but not one that no authority signed or that has expired`(
    chain: [String], key: String?, isAccepted: Bool
  ) throws {
    let identity = key.map {
      TLSContext.Identity(certificates: .text(chain.joined(separator: "\n")), privateKey: .text($0))
    }
    let pair = try Pair(
      .server(Certificates.server, Certificates.intermediate, clients: Certificates.authority),
      .client(Certificates.authority, identity))
    pair.exchange()
    // With TLS 1.3, the client learns of the refusal after its own handshake.
    let states = [pair.server.recorder.isShaken, pair.server.channel.isActive, pair.client.channel.isActive]
    #expect(states == Array(repeating: isAccepted, count: 3))
    if isAccepted {
      #expect(pair.server.tls.peerCertificate?.der == chain.first.map { PEMText.text($0).certificates[0].der })
    }
    if chain.first == Certificates.expired { #expect(pair.server.recorder.errors == [.expired]) }
  }

  @Test func `a server without a certificate is refused, also if the machine permits ciphers without one`() throws {
    let contexts = (
      server: try TLSContext.server(Certificates.server, Certificates.intermediate), client: try TLSContext.client()
    )
    for context in [contexts.server, contexts.client] {
      // As with `CipherString = aNULL:@SECLEVEL=0` in openssl.cnf. Only TLS 1.2 has such ciphers.
      #expect(unsafe SSL_CTX_set_cipher_list(context.pointer, "aNULL:@SECLEVEL=0") == 1)
      #expect(unsafe SSL_CTX_ctrl(context.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1)
    }
    let pair = try Pair(contexts.server, contexts.client)
    _ = pair.client.send([1])
    pair.exchange()
    #expect(pair.client.recorder.errors == [.untrusted("the server has no certificate")])
    #expect(!pair.client.recorder.isShaken && pair.server.recorder.received == [])
  }

  // MARK: Writes and reads

  @Test func `a write before the handshake is sent after it, and its promise then succeeds`() throws {
    let pair = try Pair()
    let promises = [pair.client.send([1]), pair.client.send([2, 3]), pair.client.send([])]
    var results = 0
    for promise in promises { promise.assumeIsolated().whenSuccess { results += 1 } }
    pair.loop.run()
    #expect(results == 0)
    pair.exchange()
    #expect(results == 3 && pair.server.recorder.received == [1, 2, 3])
  }

  @Test func `a write without a flush is not sent`() throws {
    let pair = try Pair()
    pair.exchange()
    pair.client.channel.write(ByteBuffer(bytes: [1]), promise: nil)
    #expect(pair.client.output().isEmpty)
    pair.client.channel.flush()
    pair.exchange()
    #expect(pair.server.recorder.received == [1])
  }

  @Test func `a handler that answers each chunk, also by a close, does so in order`() throws {
    let pair = try Pair()
    pair.exchange()
    pair.server.recorder.onRead = { context in
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: [UInt8(pair.server.recorder.received.count)])), promise: nil)
      if pair.server.recorder.received.count == 3 { context.close(promise: nil) }
    }
    for byte in 1...5 as ClosedRange<UInt8> { _ = pair.client.send([byte]) }
    pair.exchange()
    #expect(pair.server.recorder.received == [1, 2, 3] && pair.client.recorder.received == [1, 2, 3])
    #expect(pair.client.recorder.isActive == false && pair.client.recorder.errors == [])
  }

  @Test func `a read that brings only messages of TLS is repeated`() throws {
    final class Reads: ChannelOutboundHandler {
      typealias OutboundIn = ByteBuffer
      var count = 0
      func read(context: ChannelHandlerContext) { count += 1 }
    }
    let pair = try Pair()
    let reads = Reads()
    try pair.server.channel.pipeline.syncOperations.addHandler(reads, position: .first)
    pair.server.receive(pair.client.output())
    #expect(reads.count == 1)
    pair.client.receive(pair.server.output())
    pair.server.receive(pair.client.output())
    let before = reads.count
    _ = pair.client.send([1])
    pair.server.receive(pair.client.output())
    #expect(reads.count == before && pair.server.recorder.received == [1])
  }

  // MARK: The end

  @Test func `a close is told to the peer, which closes too, and both know that nothing is missing`() throws {
    let pair = try Pair()
    pair.exchange()
    var isClosed = false
    _ = pair.client.send([1, 2])
    pair.client.channel.close().assumeIsolated().whenSuccess { isClosed = true }
    #expect(!isClosed)
    let late = pair.client.send([3])
    pair.exchange()
    #expect(isClosed && pair.server.recorder.received == [1, 2])
    #expect(throws: ChannelError.ioOnClosedChannel) { try late.wait() }
    #expect(pair.server.recorder.isActive == false && pair.client.recorder.isActive == false)
    #expect(pair.server.recorder.errors == [] && pair.client.recorder.errors == [])
  }

  @Test(arguments: [CloseMode.input, .output])
  func `TLS closes both directions or none`(mode: CloseMode) throws {
    let pair = try Pair()
    pair.exchange()
    #expect(throws: ChannelError.operationUnsupported) { try pair.client.channel.close(mode: mode).wait() }
    _ = pair.client.send([1])
    pair.exchange()
    #expect(pair.server.recorder.received == [1])
  }

  @Test func `a peer that does not answer a close delays it by one second`() throws {
    let pair = try Pair()
    pair.exchange()
    var ends = 0
    for _ in 0..<2 { pair.client.channel.close().assumeIsolated().whenSuccess { ends += 1 } }
    // The bytes that the peer still sends are ignored.
    _ = pair.server.send([UInt8](repeating: 1, count: 50_000))
    pair.client.receive(pair.server.output())
    pair.loop.advanceTime(by: .milliseconds(999))
    #expect(ends == 0 && pair.client.channel.isActive && pair.client.recorder.received.isEmpty)
    pair.loop.advanceTime(by: .milliseconds(1))
    #expect(ends == 2 && !pair.client.channel.isActive)
  }

  @Test(arguments: [false, true])
  func `an end without the message of TLS is an error, during the handshake and after it`(isShaken: Bool) throws {
    let pair = try Pair()
    if isShaken { pair.exchange() }
    let write = pair.client.send([1])
    for end in [pair.client, pair.server] {
      end.channel.pipeline.fireChannelInactive()
      #expect(end.recorder.errors == [.ended] && end.recorder.isActive == false)
    }
    if !isShaken { #expect(throws: TLSError.ended) { try write.wait() } }
  }

  @Test func `an abort ends the connection at once, without a message to the peer`() throws {
    let pair = try Pair()
    pair.exchange()
    pair.client.channel.triggerUserOutboundEvent(TLSHandler.Abort(), promise: nil)
    #expect(!pair.client.channel.isActive && pair.client.output().isEmpty && pair.client.recorder.errors == [])
    pair.server.channel.pipeline.fireChannelInactive()
    #expect(pair.server.recorder.errors == [.ended])
  }

  @Test func `a close during the handshake ends the connection at once`() throws {
    let pair = try Pair()
    let write = pair.client.send([1])
    try pair.client.channel.close().wait()
    #expect(!pair.client.channel.isActive && pair.client.recorder.errors == [])
    #expect(throws: ChannelError.ioOnClosedChannel) { try write.wait() }
  }

  // MARK: Files

  @Test func `a private key that is encrypted, absent or of another certificate is refused without a question`() throws
  {
    for (key, fault) in [
      (Certificates.encryptedKey, TLSContext.Fault.privateKey), (Certificates.server, .privateKey), ("", .privateKey),
      (Certificates.strangerKey, .otherKey), (Certificates.otherKey, .otherKey),
    ] {
      #expect(throws: fault) { try TLSContext.server(Certificates.server, key: key) }
    }
  }

  @Test func `an encrypted certificate is refused without a question`() throws {
    let encrypted = Certificates.server.replacing(
      "CERTIFICATE-----\n", with: "CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-CBC,0011223344556677\n\n",
      maxReplacements: 1)
    #expect(throws: TLSContext.Fault.certificate) { try TLSContext.server(encrypted) }
  }

  @Test func `the context of a server knows its certificate, which the client sees, and a client has none`() throws {
    let leaf = PEMText.text(Certificates.server).certificates[0].der
    let (server, client) = (
      try TLSContext.server(Certificates.server, Certificates.intermediate), try TLSContext.client()
    )
    let pair = try Pair(server, client)
    pair.exchange()
    #expect([server.certificate?.der, pair.client.tls.peerCertificate?.der] == [leaf, leaf])
    #expect(client.certificate == nil && pair.server.tls.peerCertificate == nil)
  }

  @Test(arguments: ["", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", Certificates.key])
  func `a text without a certificate, or with a damaged one, is refused`(text: String) throws {
    #expect(throws: TLSContext.Fault.certificate) { try TLSContext.server(text) }
    #expect(throws: TLSContext.Fault.authorities) { try TLSContext.client(text) }
    #expect(throws: TLSContext.Fault.authorities) { try TLSContext.server(Certificates.server, clients: text) }
    if text.hasPrefix("-----BEGIN C") {
      #expect(throws: TLSContext.Fault.certificate) { try TLSContext.server(Certificates.server, text) }
    }
  }

  @Test func `a certificate expires after the last second in which it is valid`() throws {
    // 2021-01-01T00:00:00Z and 2120-01-01T00:00:00Z
    for (text, end) in [(Certificates.expired, 1_609_459_200), (Certificates.server, 4_733_510_400)] {
      let certificate = PEMText.text(text).certificates[0]
      #expect(!certificate.hasExpired(at: end) && certificate.hasExpired(at: end + 1))
    }
  }

  @Test func `a file that does not exist has no certificate and no key`() throws {
    let absent = PEMText.file("/nonexistent/file")
    #expect(throws: TLSContext.Fault.certificate) {
      try TLSContext(server: TLSContext.Identity(certificates: absent, privateKey: .text(Certificates.key)))
    }
    #expect(throws: TLSContext.Fault.privateKey) {
      try TLSContext(server: TLSContext.Identity(certificates: .text(Certificates.server), privateKey: absent))
    }
  }
}
