import Configuration
import LinuxHardware
import Logging
import OwnerClients

import OneFixClient
import OperatingSystem
import OwnerScreens
import Ports

extension ConsoleFeature: Feature {
  func running(in daemon: DaemonContext) -> RunningFeature? {
    daemon.isClosed(portLocation) || daemon.isClosed(pinLocation)
      ? nil : RunningFeature(services: ConsoleTerminal(self, daemon).services)
  }
}

/// The console as a destination of fixes. The console shows the fix after each press of the button, even if the console
/// gets no input.
private struct ConsoleTarget: OutputTarget {
  let console: OwnerConsole
  let path: String
  /// The event that the console has tried to open its serial port, with or without success.
  let attempt: OneTimeEvent

  func test() async throws(OutputError) {
    await attempt.wait()
    if await !console.isOpen { throw failure }
  }

  func deliver(
    _ publication: Publication, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    let bytes = publication.messages.flatMap(\.payload)
    let lines = bytes.split(separator: 0x0A).map { String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self) }
    if await !console.show(fix: lines) { throw failure }
    return true
  }

  private var failure: OutputError { OutputError("write to", path, .port) }
}

/// The service that runs the owner's console at a serial port. The console starts when the daemon's listeners accept
/// connections.
struct ConsoleTerminal: Service {
  private let console: OwnerConsole
  private let ready: OneTimeEvent
  /// The service that shows a fix after each press of the button; nil if the console shows no position.
  private var output: (any Service)?

  var services: [any Service] { [self] + [output].compactMap(\.self) }

  init(_ settings: ConsoleFeature, _ daemon: DaemonContext) {
    let logger = daemon.logger(.console)
    let attempt = OneTimeEvent()
    let session = ConsoleSession.Settings(
      language: daemon.configuration.language, gateway: daemon.configuration.gateway)
    let port = SerialConsolePort(path: settings.port, speed: settings.baud, isModem: settings.isModem)
    console = OwnerConsole(
      OwnerConsole.Settings(session: session, gateway: .unix(daemon.ownerPath)), port: port,
      checkPIN: settings.pinFile.map { path in { @Sendable pin in await Self.isRight(pin, path, logger) } },
      report: {
        Self.log($0, settings.port, logger)
        attempt.occur()
      })
    ready = daemon.ready
    output = settings.pressOutput.map { [console] output in
      let form = output.format.form(of: settings.port, for: output.app)
      let target = ConsoleTarget(console: console, path: settings.port, attempt: attempt)
      return daemon.running(
        EachPressOutput(form, of: output.app, over: .serial, to: target, logger: daemon.logger(.output)))
    }
  }

  func run(until stop: OneTimeEvent) async throws {
    try await stop.cancelling {
      await ready.wait()
      if !Task.isCancelled { await console.run() }
    }
  }

  /// Returns whether a PIN is correct. The hash is read from the file at each call, so a new PIN needs no restart. The
  /// computation takes about a second, and runs on a thread pool.
  private static func isRight(_ pin: String, _ path: String, _ logger: Logger) async -> Bool {
    do {
      let isRight = try await onThread { () throws(PINError) in try PINFile.read(path).matches(pin) }?.get()
      if isRight == false { logger.warning("wrong PIN on the console") }
      return isRight ?? false
    } catch {
      logger.error("cannot open a console session", metadata: ["cause": "\(error)"])
      return false
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
