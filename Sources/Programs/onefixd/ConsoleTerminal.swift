import Configuration
import Console
import ConsoleService
import Languages
import LinuxHardware
import Logging
import NIOPosix
import OneFixClient
import ServiceLifecycle

/// The owner's terminal on a port, once the sockets are there.
struct ConsoleTerminal: Service {
  private let console: OwnerConsole
  private let ready: AsyncStream<Void>

  /// - Parameters:
  ///   - socket: the owners'.
  ///   - ready: says something when the sockets can be used.
  /// - Throws: `PINError` where the PIN cannot be read.
  init(
    _ settings: ConsoleSettings, session: ConsoleSession.Settings, socket: String, ready: AsyncStream<Void>,
    logger: Logger
  ) throws(PINError) {
    if let path = settings.pinFile { _ = try PINFile.read(path) }
    let port = SerialConsolePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
    console = OwnerConsole(
      OwnerConsole.Settings(session: session, gateway: .unix(socket)), port: port,
      checkPIN: settings.pinFile.map { Self.check(against: $0, logger) },
      report: { Self.log($0, settings.port, logger) })
    self.ready = ready
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in ready { break }
      if !Task.isCancelled { await console.run() }
    }
  }

  private static func check(against path: String, _ logger: Logger) -> @Sendable (String) async -> Bool {
    { await isRight($0, path, logger) }
  }

  /// A PIN that was changed meanwhile is the one that counts. To hash one takes long: nobody else waits for it.
  private static func isRight(_ pin: String, _ path: String, _ logger: Logger) async -> Bool {
    let outcome = try? await NIOThreadPool.singleton.runIfActive {
      Result { () throws(PINError) in try PINFile.read(path).matches(pin) }
    }
    switch outcome {
    case .success(let isRight)?:
      if !isRight { logger.warning("a wrong PIN was entered on the console") }
      return isRight
    case .failure(let error)?:
      logger.error("the console lets nobody in", metadata: ["cause": "\(error)"])
      return false
    case nil: return false
    }
  }

  private static func log(_ report: OwnerConsole.Report, _ port: String, _ logger: Logger) {
    switch report {
    case .opened: logger.info("console open", metadata: ["port": "\(port)"])
    case .unavailable(let error):
      logger.warning("console absent; it is tried again", metadata: ["port": "\(port)", "cause": "\(error)"])
    case .withoutPIN:
      logger.error(
        "the console is silent: somebody else may be at its other end",
        metadata: ["port": "\(port)", "remedy": "pin_file in [console]; onefixd console-pin --file F makes one"])
    case .begun: logger.notice("a session on the console has begun", metadata: ["port": "\(port)"])
    case .ended(let reason):
      logger.notice(
        "a session on the console has ended", metadata: ["port": "\(port)", "reason": "\(reason.rawValue)"])
    }
  }
}
