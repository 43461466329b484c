import Base
import Glibc
import LineProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import OperatingSystem
import TLS

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
    let tls: TLSContext?
    do throws(OutputError) {
      tls = try context.get()
    } catch {
      throw WebFailure(.file, detail: "\(error.object): \(error.detail ?? error.fault.cause)")
    }
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let (opened, answered) = (loop.makePromise(of: Void.self), loop.makePromise(of: WebAnswer.self))
    let connecting = connect(answered) { [server, limits] pipeline in
      if let tls { try pipeline.addHandler(TLSHandler(client: tls, host: server.host)) }
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
      throw Self.failure(error)
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
  func context() throws(OutputError) -> TLSContext? {
    guard server.isEncrypted else { return nil }
    do {
      return try TLSContext(client: ca.map { .file($0) })
    } catch .library(let reason) {
      throw OutputError("use", "/etc/ssl/openssl.cnf", .otherTLS, detail: reason)
    } catch {
      throw OutputError.unusable(ca, "it has no certificate in PEM format")
    }
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
    case let error as TLSError:
      switch error {
      case .notTLS: WebFailure(.noTLS)
      case .ended: WebFailure(.ended)
      case .expired: WebFailure(.expired)
      case .notYetValid: WebFailure(.notYetValid)
      case .wrongName: WebFailure(.wrongHost)
      case .untrusted: WebFailure(.untrusted)
      case .certificateRequired: WebFailure(.needsCertificate)
      case .other(let reason): WebFailure(.otherTLS, detail: reason)
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
