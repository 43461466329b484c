import Base
import Glibc
import LineProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OperatingSystem

/// An open connection to a web server, for one request. With TLS, the handshake is complete. The connection ends after
/// the response, and when `WebLimits.answer` is over.
struct WebConnection: Sendable {
  fileprivate let channel: any Channel
  fileprivate let answered: EventLoopPromise<WebAnswer>

  /// Whether the connection can take a request. The server may have ended the connection.
  var isOpen: Bool { channel.isActive }

  func close() { answered.fail(WebFailure(.ended)) }
}

/// An HTTP client for one server. Each request has its own connection, because the gateway sends few fixes.
struct WebClient: Sendable {
  let server: ServerAddress
  /// The path of the PEM file with the trusted certificate authorities; nil to use those of this machine.
  let ca: String?
  var limits = WebLimits()

  /// Connects to the server and completes the TLS handshake, but sends no request. After a cancellation of the task, the
  /// connection is closed.
  func open() async throws(WebFailure) -> WebConnection {
    // The PEM file is read for each connection, so a new file needs no restart.
    guard let context = await onThread({ () throws(OutputError) in try context() }) else { throw WebFailure(.machine) }
    let tls: NIOSSLContext?
    do throws(OutputError) {
      tls = try context.get()
    } catch {
      throw WebFailure(.file, detail: "\(error.object): \(error.detail ?? error.fault.cause)")
    }
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let (opened, answered) = (loop.makePromise(of: Void.self), loop.makePromise(of: WebAnswer.self))
    let connecting = connect(answered) { [name, limits] pipeline in
      if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name)) }
      try WebExchange(isEncrypted: tls != nil, limits, opened, answered).add(to: pipeline)
    }
    connecting.cascadeFailure(to: opened)
    do {
      try await withTaskCancellationHandler {
        try await opened.futureResult.get()
      } onCancel: {
        opened.fail(CancellationError())
        answered.fail(CancellationError())
      }
      return WebConnection(channel: try await connecting.get(), answered: answered)
    } catch {
      guard let tls, Self.isUnverified(error) else { throw Self.failure(error) }
      throw WebFailure(await certificateFault(tls, at: SystemClock.reading.utc))
    }
  }

  /// Sends a request on an open connection, and waits for the response. After a cancellation of the task, the connection
  /// is closed and sends no more bytes of the request.
  func answer(to request: WebRequest, on connection: WebConnection) async throws(WebFailure) -> WebAnswer {
    do {
      return try await withTaskCancellationHandler {
        connection.channel.triggerUserOutboundEvent(request, promise: nil)
        return try await connection.answered.futureResult.get()
      } onCancel: {
        connection.answered.fail(CancellationError())
      }
    } catch {
      throw Self.failure(error)
    }
  }

  /// The host name that the server's certificate must have; nil if the URL has an IP address instead.
  private var name: String? { (try? SocketAddress(ipAddress: server.host, port: 0)) == nil ? server.host : nil }

  /// Connects to the server. The connection is closed when the promise `result` is complete.
  /// - Parameter configure: Adds the handlers that complete `result`.
  private func connect<Value: Sendable>(
    _ result: EventLoopPromise<Value>,
    _ configure: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: result.futureResult.eventLoop).connectTimeout(limits.connect)
      .channelInitializer { channel in
        // A cancellation can come before the connection. The closed channel then connects to nothing and sends nothing.
        result.futureResult.whenComplete { _ in channel.close(promise: nil) }
        return channel.eventLoop.makeCompletedFuture { try configure(channel.pipeline.syncOperations) }
      }
    let channel = bootstrap.connect(host: server.host, port: server.port)
    channel.cascadeFailure(to: result)
    return channel
  }

  // MARK: TLS

  /// Returns the TLS settings, from files; nil for a URL without TLS.
  func context() throws(OutputError) -> NIOSSLContext? {
    guard server.isEncrypted else { return nil }
    do {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      if let ca { configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(ca)) }
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw OutputError.unusable(ca, "it has no certificate in PEM format")
    }
  }

  /// Returns the reason in a BoringSSL error, such as `CERTIFICATE_VERIFY_FAILED`; nil for another error. The text of such
  /// an error is as in `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
  private static func reason(of error: any Error) -> String? {
    let parts = "\(error)".utf8.split(separator: UInt8(ascii: ":")).drop { !$0.elementsEqual("OPENSSL_internal".utf8) }
    return parts.dropFirst().first.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
  }

  private static func isUnverified(_ error: any Error) -> Bool { reason(of: error) == "CERTIFICATE_VERIFY_FAILED" }

  /// Returns why the server's certificate was not accepted: not yet valid, expired or not trusted.
  ///
  /// BoringSSL does not report this reason. So a second connection reads the dates of the certificates, sends nothing,
  /// and ends during the handshake. A server rarely sends the certificate of its authority, which is in the file `ca`.
  private func certificateFault(_ tls: NIOSSLContext, at now: UTCTime) async -> OutputFault {
    let authorities = (try? await onThread({ try ca.map(NIOSSLCertificate.fromPEMFile) ?? [] })?.get()) ?? []
    let result = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: OutputFault.self)
    _ = connect(result) { [name, limits] pipeline in
      let handler = try NIOSSLClientHandler(
        context: tls, serverHostname: name,
        customVerificationCallback: { certificates, verification in
          result.succeed(Self.fault(of: certificates, by: authorities, at: now))
          verification.succeed(.failed)
        })
      try pipeline.addHandlers(handler, FailureHandler(result, limits.answer))
    }
    let fault = try? await withTaskCancellationHandler {
      try await result.futureResult.get()
    } onCancel: {
      result.fail(CancellationError())
    }
    return fault ?? .untrusted
  }

  private static func fault(
    of certificates: [NIOSSLCertificate], by authorities: [NIOSSLCertificate], at now: UTCTime
  ) -> OutputFault {
    let seconds = now.nanosecondsSince1970 / 1_000_000_000
    // One valid authority is enough, so the dates of the others then do not matter.
    func isCause(_ fails: (NIOSSLCertificate) -> Bool) -> Bool {
      certificates.contains(where: fails) || !authorities.isEmpty && authorities.allSatisfy(fails)
    }
    if isCause({ $0.notValidAfter < seconds }) { return .expired }
    return isCause { $0.notValidBefore > seconds } ? .notYetValid : .untrusted
  }

  // MARK: Errors

  private static func failure(_ error: any Error) -> WebFailure {
    switch error {
    case let failure as WebFailure: failure
    case ChannelError.connectTimeout: WebFailure(.unreachable)
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first?.error {
        WebFailure(.unreachable, detail: (first as? IOError).map { systemErrorText($0.errnoCode) })
      } else {
        WebFailure(.unknownName)
      }
    case let error as IOError:
      WebFailure(
        [ECONNRESET, EPIPE].contains(error.errnoCode) ? .ended : .unreachable, detail: systemErrorText(error.errnoCode))
    case HTTPParserError.invalidEOFState: WebFailure(.ended)
    case is HTTPParserError: WebFailure(.noHTTP)
    case NIOSSLError.uncleanShutdown, NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])): WebFailure(.ended)
    case let error as NIOSSLExtraError where error == .failedToValidateHostname: WebFailure(.wrongHost)
    case is NIOSSLError, is BoringSSLError:
      switch reason(of: error) {
      case "WRONG_VERSION_NUMBER": WebFailure(.noTLS)
      case "TLSV1_ALERT_CERTIFICATE_REQUIRED": WebFailure(.needsCertificate)
      case let reason: WebFailure(.otherTLS, detail: reason)
      }
    default: WebFailure(.ended)
    }
  }
}

/// A handler that reports an error, the end of a connection, or the end of a time limit to the promise of a result.
private final class FailureHandler<Value: Sendable>: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let result: EventLoopPromise<Value>
  private let limit: TimeAmount

  init(_ result: EventLoopPromise<Value>, _ limit: TimeAmount) {
    self.result = result
    self.limit = limit
  }

  func channelActive(context: ChannelHandlerContext) {
    context.eventLoop.scheduleTask(in: limit) { [result] in result.fail(WebFailure(.silent)) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { result.fail(error) }

  func channelInactive(context: ChannelHandlerContext) { result.fail(ChannelError.eof) }
}
