package import Base
import Hardware
import LineProtocol
package import OneFixClient
import OperatingSystem
import OwnerClients

/// A program that shows the state of a gateway on a display. The program is a client of the Unix socket for owners
/// (administrators).
///
/// The connection exists only while the display acknowledges each picture. If the display fails, the connection closes,
/// so the gateway knows immediately that no person can read its questions.
package struct DisplayProgram: Sendable {
  /// An event that the program reports for the log of the service.
  package enum Report: Hashable, Sendable {
    case opened(bus: String)
    case failed(String)
  }

  /// The maximum time between two transmissions of the shown picture. For the gateway, a picture is visible for 1 s.
  static let refreshTime = Duration.milliseconds(400)
  /// The interval at which the program checks a dark display: the display must acknowledge its bytes.
  static let checkTime = Duration.seconds(5)
  private static let heartbeat = Duration.milliseconds(200)
  private static let pause = Duration.milliseconds(20)
  /// The minimum interval at which the program reads the state of the gateway. An app can change the state many times a
  /// second, and the gateway refuses more than 50 commands of one client at once.
  private static let shortestReadTime = Duration.milliseconds(200)
  /// The interval at which the program reads the state of the gateway while a text is shown. The gateway sends no
  /// message about a press of the button without an effect.
  private static let readTime = Duration.milliseconds(500)
  /// The maximum time for the reply of the gateway to a command. Then the display is switched off, because its text is
  /// old.
  private static let answerTime = Duration.seconds(5)
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(5))

  private let owners: OneFixClient.Endpoint
  private let font: FontFile
  private let open: @Sendable (DisplayModule) throws -> any DisplayOutput
  private let report: @Sendable (Report) -> Void
  private let now: @Sendable () -> MonotonicInstant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let sleepForAnswer: @Sendable (Duration) async throws -> Void

  /// Creates a program for the display of one gateway.
  /// - Parameters:
  ///   - owners: The address of the Unix socket for owners (administrators).
  ///   - font: The bitmaps of the characters.
  ///   - open: Opens the display with the settings from the configuration of the gateway.
  ///   - report: Handles an event for the log.
  ///   - now: Returns the present instant.
  ///   - sleep: Waits for a time, while the program is connected.
  ///   - sleepForAnswer: Waits for the maximum time of a reply of the gateway.
  package init(
    owners: OneFixClient.Endpoint, font: FontFile,
    open: @escaping @Sendable (DisplayModule) throws -> any DisplayOutput,
    report: @escaping @Sendable (Report) -> Void,
    now: @escaping @Sendable () -> MonotonicInstant = { SystemClock.monotonic },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    sleepForAnswer: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.owners = owners
    self.font = font
    self.open = open
    self.report = report
    self.now = now
    self.sleep = sleep
    self.sleepForAnswer = sleepForAnswer
  }

  /// Drives the display until the task is cancelled. After a failure of the display or of the connection, the function
  /// connects again.
  package func run() async {
    var failures = 0
    var lastFailure: String?
    while !Task.isCancelled {
      do {
        try await OwnerClient.with(owners) { client in
          try await show(client) {
            (failures, lastFailure) = (0, nil)
          }
        }
      } catch {
        // If attempts fail repeatedly with the same error, the program reports only the first failure.
        let failure = (error as? LineError)?.text ?? "\(error)"
        if lastFailure != failure, !Task.isCancelled { report(.failed(failure)) }
        lastFailure = failure
      }
      if Task.isCancelled { return }
      try? await Task.sleep(for: Self.backoff.maximumDelay(after: failures))
      failures += 1
    }
  }

  private func show(_ client: OwnerClient, opened: () -> Void) async throws {
    let gateway = OwnerConnection(client: client, answerTime: Self.answerTime, sleep: sleepForAnswer)
    let settings = try await gateway.perform(.owner(.display(frame: nil, prompt: nil))).fields
    guard let module = DisplayModule(fields: settings),
      let language = Language(settings: settings)
    else { throw UnknownDisplay() }
    let output = try open(module)
    // The program subscribes to the topics only after the display has acknowledged a picture: for the gateway, a
    // subscription means that a person can see the prompts.
    try await output.show(nil)
    opened()
    report(.opened(bus: module.bus))
    var driver = DisplayDriver(module, output, gateway, font, DisplayReader(language: language), now)
    let watcher = GatewayWatcher(
      client, topics: DisplayReader.topics, heartbeat: Self.heartbeat, pause: Self.pause, sleep: sleep)
    var failure: (any Error)?
    do {
      try await watch(watcher, &driver, gateway)
    } catch let error as HardwareError {
      // The connection must close immediately. The next attempt begins with a dark display.
      throw error
    } catch is CancellationError {
    } catch {
      failure = error
    }
    // The display must not keep the last text, also if the gateway has ended. A task of its own is necessary, because
    // this task may be cancelled.
    await Task { try? await output.show(nil) }.value
    if let failure { throw failure }
  }

  private func watch(
    _ watcher: GatewayWatcher, _ driver: inout DisplayDriver, _ gateway: OwnerConnection
  ) async throws {
    var lastRead: MonotonicInstant?
    var isOutdated = false
    try await watcher.run(pacedBy: { changes in
      if changes.messages.contains(where: { $0.topic == Topic.ownerButton.rawValue }) {
        driver.session.pressButton(at: now())
        try await driver.draw()
      }
      isOutdated = isOutdated || changes.isChanged
      let interval = isOutdated ? Self.shortestReadTime : driver.isLit ? Self.readTime : nil
      if let interval, lastRead.map({ now() - $0 >= interval }) ?? true {
        isOutdated = false
        let content = try await driver.reader.read(from: gateway)
        lastRead = now()
        driver.session.update(content, at: now())
      }
      try await driver.draw()
      // While the display is off, only a message of the gateway or the next check of the display needs this program.
      guard driver.isLit || isOutdated else { return Self.checkTime }
      return min(Self.heartbeat, driver.session.timeToTurn(at: now()) ?? Self.heartbeat)
    })
  }
}

extension Language {
  /// Reads the language of the texts from the reply to the command `DISPLAY`; nil if this version does not know it.
  fileprivate init?(settings fields: ServerLine.Fields) {
    guard let language = fields["language"].flatMap(Language.init(rawValue:)) else { return nil }
    self = language
  }
}

/// The error if this version does not support the configured display.
private struct UnknownDisplay: Error, CustomStringConvertible {
  var description: String { "cannot use the display: this version of onefix does not know the settings of the gateway" }
}

/// The part of the program that writes pages of text to a display. The driver also tells the gateway which prompts
/// (questions to the user) were shown.
private struct DisplayDriver {
  var session: DisplaySession
  private(set) var reader: DisplayReader
  private let module: DisplayModule
  private let output: any DisplayOutput
  private let gateway: OwnerConnection
  private let font: FontFile
  private let now: @Sendable () -> MonotonicInstant
  /// The page that the display shows; nil if the display is off.
  private var page: DisplayPage?
  private var written: MonotonicInstant

  init(
    _ module: DisplayModule, _ output: any DisplayOutput, _ gateway: OwnerConnection, _ font: FontFile,
    _ reader: DisplayReader, _ now: @escaping @Sendable () -> MonotonicInstant
  ) {
    self.module = module
    self.output = output
    self.gateway = gateway
    self.font = font
    self.reader = reader
    self.now = now
    session = DisplaySession(height: module.height) { font.glyph(of: $0) }
    written = now()
  }

  var isLit: Bool { page != nil }

  /// Writes the present page to the display, if the page is new or the display needs the next transmission.
  mutating func draw() async throws {
    let begun = now()
    session.pass(to: begun)
    let next = session.page
    let limit = next == nil ? DisplayProgram.checkTime : DisplayProgram.refreshTime
    guard next != page || begun - written >= limit else { return }
    try await output.show(next.map { $0.picture(height: module.height) { font.glyph(of: $0) } })
    (page, written) = (next, begun)
    // On a slow bus the transmission takes longer than the time of a line. The time of a page begins after it.
    session.noteShown(since: now())
    let isSeen = output.isAcknowledged
    let command = OwnerCommand.display(frame: isSeen ? begun : nil, prompt: isSeen ? session.readPrompt : nil)
    // The gateway can have read its configuration again, with another language.
    if let language = Language(settings: try await gateway.perform(.owner(command)).fields) {
      reader = DisplayReader(language: language)
    }
  }
}
