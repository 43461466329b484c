import Base
import LineProtocol
import NIOCore
import NIOTLS
import OperatingSystem
import Ports
import TLS

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
  private let context: TLSContext
  /// The SHA-256 of the server's TLS certificate. A proof that a client has a key contains this value, and is therefore
  /// valid only for this server.
  let binding: String

  package init(_ files: TLSFiles) throws(TLSFault) {
    do {
      context = try TLSContext(
        server: TLSContext.Identity(certificates: .file(files.certificate), privateKey: .file(files.privateKey)),
        clientAuthorities: files.clientCA.map { .file($0) })
    } catch {
      throw TLSFault(error, files)
    }
    // The context of a server has a certificate.
    binding = KeyProof.binding(certificate: context.certificate?.der ?? [])
  }

  /// Adds the TLS handler to a channel. Returns the future result of the handshake.
  func secure(_ channel: any Channel) throws -> EventLoopFuture<TLSPeerInfo> {
    let tls = TLSHandler(server: context)
    let watch = TLSPeerInfoHandler(tls, channel.eventLoop.makePromise(of: TLSPeerInfo.self), binding: binding)
    try channel.pipeline.syncOperations.addHandlers([tls, watch])
    return watch.promise.futureResult
  }
}

/// The reason why the gateway cannot use a TLS certificate or a private key.
package struct TLSFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let cause: String

  fileprivate init(_ fault: TLSContext.Fault, _ files: TLSFiles) {
    (file, cause) =
      switch fault {
      case .certificate: (files.certificate, Self.noCertificate)
      case .authorities: (files.clientCA ?? "", Self.noCertificate)
      case .privateKey:
        (
          files.privateKey,
          "the file contains no readable private key in PEM form (the key must not be encrypted)"
        )
      case .otherKey: (files.privateKey, "the key does not belong to the certificate \(files.certificate)")
      case .refused(let reason): (files.certificate, "OpenSSL refuses the certificate: \(reason)")
      case .library(let reason): (files.certificate, "OpenSSL cannot use its configuration openssl.cnf: \(reason)")
      }
  }

  private static let noCertificate = "the file contains no readable certificate in PEM form"

  package var description: String { "cannot use \(file): \(cause)" }
}

/// The information about a client that the gateway gets from a TLS handshake.
struct TLSPeerInfo: Sendable {
  /// The fingerprint of the client's TLS certificate, which a trusted authority has signed; nil if the client sent no
  /// certificate.
  var certificate: CertificateFingerprint?
  var binding: String
}

/// The NIO handler that completes `promise` at the end of the TLS handshake.
private final class TLSPeerInfoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  let promise: EventLoopPromise<TLSPeerInfo>
  private let tls: TLSHandler
  private let binding: String

  init(_ tls: TLSHandler, _ promise: EventLoopPromise<TLSPeerInfo>, binding: String) {
    self.tls = tls
    self.promise = promise
    self.binding = binding
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event {
      promise.succeed(
        TLSPeerInfo(certificate: tls.peerCertificate.map { SHA256.hash($0.der) }, binding: binding))
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(error)
    context.fireErrorCaught(error)
  }

  func handlerRemoved(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
