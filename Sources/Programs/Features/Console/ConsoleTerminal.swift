import Configuration
import ConsoleService
import LinuxHardware
import Logging
import NIOPosix
import OneFixClient
import OwnerScreens
import Telemetry

extension ConsoleFeature: Feature {
  func running(in daemon: DaemonContext) -> (any RunningFeature)? {
    daemon.isClosed(portLocation) || daemon.isClosed(pinLocation) ? nil : ConsoleTerminal(self, daemon)
  }
}

/// Runs the owner's console on a serial port. The console starts when the sockets accept connections.
struct ConsoleTerminal: RunningFeature, Service {
  private let console: OwnerConsole
  private let ready: OneTimeEvent

  var services: [any Service] { [self] }

  init(_ settings: ConsoleFeature, _ daemon: DaemonContext) {
    let logger = daemon.logger(.console)
    let session = ConsoleSession.Settings(
      language: daemon.configuration.language, gateway: daemon.configuration.gateway)
    let port = SerialConsolePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
    console = OwnerConsole(
      OwnerConsole.Settings(session: session, gateway: .unix(daemon.ownerPath)), port: port,
      checkPIN: settings.pinFile.map { Self.check(against: $0, logger) },
      report: { Self.log($0, settings.port, logger) })
    ready = daemon.ready
  }

  func run(until stop: OneTimeEvent) async throws {
    try await stop.cancelling {
      await ready.wait()
      if !Task.isCancelled { await console.run() }
    }
  }

  private static func check(against path: String, _ logger: Logger) -> @Sendable (String) async -> Bool {
    { await isRight($0, path, logger) }
  }

  /// Returns whether a PIN is correct. The file with the PIN's hash is read each time, so that a new PIN takes effect
  /// immediately. The thread pool computes the hash, because the computation takes a long time.
  private static func isRight(_ pin: String, _ path: String, _ logger: Logger) async -> Bool {
    let outcome = try? await NIOThreadPool.singleton.runIfActive {
      Result { () throws(PINError) in try PINFile.read(path).matches(pin) }
    }
    switch outcome {
    case .success(let isRight)?:
      if !isRight { logger.warning("wrong PIN on the console") }
      return isRight
    case .failure(let error)?:
      logger.error("cannot open a console session", metadata: ["cause": "\(error)"])
      return false
    case nil: return false
    }
  }

  private static func log(_ report: OwnerConsole.Report, _ port: String, _ logger: Logger) {
    switch report {
    case .opened: logger.info("console open", metadata: ["port": "\(port)"])
    case .unavailable(let error):
      logger.warning("cannot open the console; trying again", metadata: ["port": "\(port)", "cause": "\(error)"])
    case .withoutPIN:
      logger.error(
        "cannot use the console: no PIN is configured",
        metadata: [
          "port": "\(port)", "remedy": "set pin_file in [console]; onefixd console-pin --file F creates the file",
        ])
    case .begun: logger.notice("console session started", metadata: ["port": "\(port)"])
    case .ended(let reason):
      logger.notice(
        "console session ended", metadata: ["port": "\(port)", "reason": "\(reason.rawValue)"])
    }
  }
}
