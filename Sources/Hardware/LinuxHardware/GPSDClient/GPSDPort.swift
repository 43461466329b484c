import Base
package import GNSS
import Glibc
import Hardware
package import NIOCore
import NIOPosix
import OperatingSystem
import Synchronization

/// A connection to the program gpsd, which reads the receiver and decodes its data. The configuration is
/// `gpsd[:HOST[:PORT]]`.
///
/// After two or more consecutive failures, `run` waits for up to 15 s before a connection attempt. A received epoch
/// (all data of one instant) resets the count of failures.
package final class GPSDPort: EpochPort {
  package static let defaultHost = "127.0.0.1"
  package static let defaultPort = 2947

  package let host: String
  package let port: Int
  package var isLive: Bool { true }

  private let group: any EventLoopGroup
  private let failures = Mutex(0)
  private let eventLoop = Mutex<(any EventLoop)?>(nil)
  /// The pauses before connection attempts. The first two attempts have no pause.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(15))

  package init(
    host: String = GPSDPort.defaultHost, port: Int = GPSDPort.defaultPort,
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
  ) {
    self.host = host
    self.port = port
    self.group = group
  }

  package var name: String { "gpsd:" + hostAndPort(host, port) }

  /// Returns the pause before the next connection attempt.
  /// - Parameter count: the count of consecutive failures.
  static func wait(afterFailures count: Int) -> Duration {
    count < 2 ? .zero : backoff.maximumDelay(after: count - 2)
  }

  package func respond() async {
    guard let eventLoop = eventLoop.withLock({ $0 }) else { return }
    // `submit` fails only if the event loop has shut down. Then no connection exists.
    try? await eventLoop.submit {}.get()
  }

  package func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws {
    do {
      let wait = GPSDPort.wait(afterFailures: failures.withLock { $0 })
      if wait > .zero { try await SystemClock.sleep(until: SystemClock.monotonic + wait) }
      let channel = try await connect()
      try await read(channel, opened: opened, receive)
    } catch is CancellationError {
      return
    } catch {
      if Task.isCancelled { return }
      failures.withLock { $0 += 1 }
      throw error
    }
  }

  private func connect() async throws -> NIOAsyncChannel<GPSDEvent, ByteBuffer> {
    do {
      return try await ClientBootstrap(group: group)
        // The kernel closes the connection of an unreachable host within half a minute. (tcp(7))
        .channelOption(.socketOption(.so_keepalive), value: 1)
        .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 10)
        .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 5)
        .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
        .connectTimeout(.seconds(5))
        .resolver(NameResolver(eventLoop: group.any()))
        .connect(host: host, port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(GPSDHandler())
            return try NIOAsyncChannel<GPSDEvent, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      throw GPSDPort.failure(to: name, host, error)
    }
  }

  private func read(
    _ channel: NIOAsyncChannel<GPSDEvent, ByteBuffer>, opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ epoch: Epoch) async -> Void
  ) async throws {
    let name = name
    eventLoop.withLock { $0 = channel.channel.eventLoop }
    defer { eventLoop.withLock { $0 = nil } }
    var cause = "gpsd closed the connection"
    do {
      try await channel.executeThenClose { inbound, _ in
        for try await event in inbound {
          switch event {
          case .greeted: await opened()
          case .epoch(let epoch):
            failures.withLock { $0 = 0 }
            await receive(epoch)
          case .silent:
            throw HardwareError(.absent, "read", name, cause: "gpsd sent no greeting within 10 s")
          case .notGPSD:
            throw HardwareError(
              .unsuitable, "read", name, cause: "the program at this address is not gpsd",
              remedy: "gpsd's default port is 2947")
          }
        }
      }
    } catch let error as HardwareError {
      throw error
    } catch {
      cause = GPSDPort.cause(of: error)
    }
    if Task.isCancelled { return }
    throw HardwareError(.absent, "read", name, cause: cause)
  }

  /// Returns the error for a failed connection attempt. The error contains advice for the user.
  static func failure(to name: String, _ host: String, _ error: any Error) -> HardwareError {
    let (cause, number) = (cause(of: error), number(of: error))
    let remedy =
      switch number {
      case EADDRNOTAVAIL where host.contains(":"), EAFNOSUPPORT, ENETUNREACH:
        "check with ip address whether IPv6 or the network is off; gpsd:127.0.0.1 connects to this machine over IPv4"
      case nil where cause == unknownHost: "check the name of the host"
      default: "does gpsd run there? see systemctl status gpsd"
      }
    return HardwareError(.absent, "connect to", name, cause: cause, remedy: remedy)
  }

  private static let unknownHost = "the host name is unknown"

  /// Returns the error number (errno) of the failed system call; nil if no system call failed.
  private static func number(of error: any Error) -> Int32? {
    let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    return (first as? IOError)?.errnoCode
  }

  private static func cause(of error: any Error) -> String {
    if let failed = error as? NIOConnectionError {
      if let first = failed.connectionErrors.first { return cause(of: first.error) }
      return unknownHost
    }
    if let error = error as? IOError { return systemErrorText(error.errnoCode) }
    if case .connectTimeout? = error as? ChannelError { return "the connection timed out" }
    return "\(error)"
  }
}
