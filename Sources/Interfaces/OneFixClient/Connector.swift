import Glibc
import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import TLS

enum Connector {
  typealias Lines = NIOAsyncChannel<ReceivedLine, ByteBuffer>

  /// The maximum length of a protocol line that the client accepts, in bytes.
  static let longestLine = 65_536
  /// The maximum time to wait for the gateway's greeting (its first protocol line), and for each reply.
  static let replyTimeout = TimeAmount.seconds(10)
  /// The maximum time to wait for a greeting or a reply on a serial port or on a connection with checksums. The time is
  /// longer than `replyTimeout`, because the client repeats lost commands on such connections.
  static let noisyReplyTimeout = TimeAmount.seconds(20)
  /// The time without a reply after which the client sends a command again. On a serial port at 4800 baud, two protocol
  /// lines of the maximum length take 2.1 s.
  static let repetition = TimeAmount.milliseconds(2500)

  /// Opens a connection. Returns the channel and the serial port, which is nil for other endpoints. The caller must
  /// keep the port until the connection has ended.
  ///
  /// - Parameter silence: The time without a protocol line from the gateway after which the connection closes; nil for
  ///   no limit.
  static func connect(
    _ endpoint: OneFixClient.Endpoint, silence: TimeAmount?
  ) async throws(LinkError) -> (lines: Lines, port: SerialLinePort?) {
    let tls = try context(of: endpoint)
    let isSerial = endpoint.isSerial
    let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(replyTimeout)
    let wrap: @Sendable (any Channel) throws -> Lines = { channel in
      let pipeline = channel.pipeline.syncOperations
      if let tls { try pipeline.addHandler(TLSHandler(client: tls.context, host: tls.host)) }
      try pipeline.addHandler(ChecksumHandler())
      try pipeline.addHandler(ByteToMessageHandler(LineDecoder(longest: longestLine, isMarked: isSerial)))
      // These handlers come after the decoder, so that only a complete protocol line starts the timeout again.
      if let silence { try pipeline.addHandlers(IdleStateHandler(readTimeout: silence), SilenceHandler()) }
      return try Lines(wrappingChannelSynchronously: channel)
    }
    let initialize: @Sendable (any Channel) -> EventLoopFuture<Lines> = { channel in
      channel.eventLoop.makeCompletedFuture { try wrap(channel) }
    }
    do {
      switch endpoint {
      case .unix(let path):
        return (try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize), nil)
      case .tcp(let host, let port, _), .tls(let host, let port, _, _):
        return (try await bootstrap.connect(host: host, port: port, channelInitializer: initialize), nil)
      case .serial(let path, let baudRate):
        let port = try SerialLinePort(path: path, speed: baudRate)
        return (try await port.channel(on: .singletonMultiThreadedEventLoopGroup, wrap), port)
      }
    } catch {
      throw .noGateway(endpoint: "\(endpoint)", cause: cause(error), remedy: remedy(error, endpoint))
    }
  }

  private static func remedy(_ error: any Error, _ endpoint: OneFixClient.Endpoint) -> String? {
    switch endpoint {
    // The error of a serial port contains its remedy.
    case .serial: nil
    case .unix(let path) where (error as? IOError)?.errnoCode == EACCES: SocketPermission.remedy(for: path)
    case .unix(let path) where path.utf8.count > SocketPath.maximumLength: "use a shorter path"
    case .unix, .tcp, .tls:
      (error as? NIOConnectionError)?.connectionErrors.isEmpty == true ? "is the name right?" : LinkError.isItRunning
    }
  }

  private static func cause(_ error: any Error) -> String {
    switch error {
    case let error as IOError: systemErrorText(error.errnoCode)
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { cause($0.error) } ?? "the host name is unknown"
    case ChannelError.connectTimeout: "the connection timed out"
    case SocketAddressError.unixDomainSocketPathTooLong:
      "the path of a socket can have at most \(SocketPath.maximumLength) bytes"
    default: "\(error)"
    }
  }

  /// Returns the TLS context of an endpoint, and the host to verify; nil if the endpoint does not use TLS.
  private static func context(
    of endpoint: OneFixClient.Endpoint
  ) throws(LinkError) -> (context: TLSContext, host: String)? {
    guard case .tls(let host, _, let proof, let trust) = endpoint else { return nil }
    var (authorities, identity): (PEMText?, TLSContext.Identity?)
    if case .pem(let text) = trust { authorities = .text(text) }
    if case .certificate(let own) = proof {
      identity = TLSContext.Identity(certificates: .text(own.chain), privateKey: .text(own.privateKey))
    }
    do {
      return (try TLSContext(client: authorities, identity: identity), host)
    } catch .otherKey {
      throw .untrusted(cause: "the given private key does not belong to the given certificate")
    } catch .refused(let reason) {
      throw .untrusted(cause: "OpenSSL refuses the given certificate: \(reason)")
    } catch .library(let reason) {
      throw .untrusted(cause: "OpenSSL cannot use its configuration openssl.cnf: \(reason)")
    } catch {
      throw .untrusted(cause: "the given certificates or private key cannot be read (are they PEM text?)")
    }
  }
}

/// A handler that closes the connection if no protocol line arrives within the read timeout of `IdleStateHandler`.
private final class SilenceHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ReceivedLine

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case IdleStateHandler.IdleStateEvent.read = event else { return context.fireUserInboundEventTriggered(event) }
    context.close(promise: nil)
  }
}
