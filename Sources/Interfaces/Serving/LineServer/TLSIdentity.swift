import Base
import LineProtocol
import NIOCore
import NIOSSL
import NIOTLS
import OperatingSystem
import Ports

/// The paths of the PEM files for TLS: the certificate, the private key and the certificate authority of the clients.
package struct TLSFiles: Hashable, Sendable {
  /// The path of the file with the server's certificate. The file also contains the intermediate certificates.
  package var certificate: String
  /// The path of the file with the unencrypted private key of the server's certificate.
  package var privateKey: String
  /// The path of the file with the certificate authority of the clients; nil if the server accepts no client
  /// certificates.
  package var clientCA: String?

  package init(certificate: String, privateKey: String, clientCA: String?) {
    self.certificate = certificate
    self.privateKey = privateKey
    self.clientCA = clientCA
  }
}

/// The TLS context of a listener: its certificate, its private key, and the certificate authority of its clients.
package struct TLSIdentity: Sendable {
  private let context: NIOSSLContext
  /// The SHA-256 of the server's TLS certificate. A proof that a client has a key contains this value, and is therefore
  /// valid only for this server.
  let binding: String

  package init(_ files: TLSFiles) throws(TLSFault) {
    let (certificate, privateKey, clientCA) = (files.certificate, files.privateKey, files.clientCA)
    let chain = try TLSIdentity.certificates(certificate)
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: privateKey, format: .pem)
    } catch {
      throw TLSFault(
        file: privateKey, "the file contains no readable private key in PEM form (the key must not be encrypted)")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // The timeout limits the wait for the peer's reply at the end of a TLS connection.
    configuration.shutdownTimeout = .seconds(1)
    if let clientCA {
      configuration.trustRoots = .certificates(try TLSIdentity.certificates(clientCA))
      // A client without a certificate can authenticate with a key. The handshake fails only if the client sends a
      // certificate that the configured authority has not signed.
      configuration.certificateVerification = .optionalVerification
      configuration.sendCANameList = true
    }
    do {
      context = try NIOSSLContext(configuration: configuration)
      binding = KeyProof.binding(certificate: try chain[0].toDERBytes())
    } catch {
      throw TLSFault(file: privateKey, "the key does not belong to the certificate \(certificate)")
    }
  }

  private static func certificates(_ file: String) throws(TLSFault) -> [NIOSSLCertificate] {
    do {
      let found = try NIOSSLCertificate.fromPEMFile(file)
      if !found.isEmpty { return found }
    } catch {}
    throw TLSFault(file: file, "the file contains no readable certificate in PEM form")
  }

  /// Adds the TLS handler to a channel. Returns the future result of the handshake.
  func secure(_ channel: any Channel) throws -> EventLoopFuture<TLSPeerInfo> {
    let watch = TLSPeerInfoHandler(channel.eventLoop.makePromise(of: TLSPeerInfo.self), binding: binding)
    let handler = NIOSSLServerHandler(context: context)
    try channel.pipeline.syncOperations.addHandlers([handler, watch])
    return watch.promise.futureResult
  }
}

/// The reason why the gateway cannot use a TLS certificate or a private key.
package struct TLSFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let cause: String

  init(file: String, _ cause: String) {
    self.file = file
    self.cause = cause
  }

  package var description: String { "cannot use \(file): \(cause)" }
}

/// The information about a client that the gateway gets from a TLS handshake.
struct TLSPeerInfo: Sendable {
  /// The fingerprint of the client's TLS certificate; nil if the client sent no certificate, or if the certificate is not
  /// valid now. A trusted authority has signed the certificate.
  var certificate: CertificateFingerprint?
  var binding: String
}

extension NIOSSLCertificate {
  /// Returns the fingerprint of the certificate; nil outside the time in which the certificate is valid. The handshake
  /// does not check this time if the client continues an earlier TLS session. (RFC 8446 §4.6.1)
  func fingerprint(at now: UTCTime) throws -> CertificateFingerprint? {
    let seconds = Int(now.nanosecondsSince1970 / 1_000_000_000)
    guard (notValidBefore...max(notValidBefore, notValidAfter)).contains(seconds) else { return nil }
    return SHA256.hash(try toDERBytes())
  }
}

/// The NIO handler that completes `promise` at the end of the TLS handshake.
private final class TLSPeerInfoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  let promise: EventLoopPromise<TLSPeerInfo>
  private let binding: String

  init(_ promise: EventLoopPromise<TLSPeerInfo>, binding: String) {
    self.promise = promise
    self.binding = binding
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event {
      promise.completeWith(
        Result {
          let leaf = try context.channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self).peerCertificate
          return TLSPeerInfo(
            certificate: try leaf?.fingerprint(at: SystemClock.reading.utc), binding: self.binding)
        })
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(error)
    context.fireErrorCaught(error)
    // Any TLS error closes the connection.
    context.close(promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
