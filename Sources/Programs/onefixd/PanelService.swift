import Features
import Gateway
import Glibc
import LineProtocol
import OperatingSystem
import OwnerScreens
import Synchronization

/// Shows the simulated board in the terminal, above the output of the daemon. Keys press the simulated button. When the
/// terminal is closed, the daemon ends.
final class PanelService: Service {
  /// The event that the panel has cleared the terminal for the first time. Later output stays below the panel.
  let hasCleared = OneTimeEvent()
  private let gateway: Gateway
  /// Whether the panel has the key `p`, which ends the daemon. `Scripts/run` then starts it again with a file of points.
  private let offersPoints: Bool
  private let isPointsKeyPressed = Atomic<Bool>(false)
  private let isPressing = Atomic<Bool>(false)
  /// Whether the drawing changes in each `step`, because of a countdown or a held button.
  private let isMoving = Atomic<Bool>(false)
  /// The time between two drawings during a countdown or a hold of the button.
  private static let step = Duration.milliseconds(250)

  /// Whether the user has ended the daemon with the key `p`.
  var wantsPoints: Bool { isPointsKeyPressed.load(ordering: .relaxed) }

  init(gateway: Gateway, offersPoints: Bool) { (self.gateway, self.offersPoints) = (gateway, offersPoints) }

  func run(until stop: OneTimeEvent) async {
    defer { hasCleared.occur() }
    guard let terminal = Terminal() else {
      hasCleared.occur()
      return await stop.wait()
    }
    let panel = Task { await draw(on: terminal) }
    let keys = Task {
      try? await terminal.keys { key in self.handle(key) }
      if !Task.isCancelled { kill(getpid(), SIGTERM) }
    }
    await stop.wait()
    panel.cancel()
    keys.cancel()
    await panel.value
    await keys.value
  }

  private func draw(on terminal: Terminal) async {
    let hasColours = TerminalKind(environment: environmentVariable).hasColours
    var size = (rows: 0, columns: 0)
    var hadRoom = false
    for await _ in await redraws() {
      let present = terminal.size
      let panel = Panel(
        rows: present.rows, columns: present.columns, hasColours: hasColours, offersPoints: offersPoints)
      await gateway.panelIsDrawn(panel.showsQuestions)
      let snapshot = await gateway.snapshot(entries: Panel.entries)
      if present != size {
        size = present
        // Only the rows below the panel scroll. Without the panel, all rows scroll.
        let start = panel.hasRoom ? Panel.height + 1 : 1
        await terminal.write("\u{1B}[2J\u{1B}[\(start);\(size.rows)r\u{1B}[\(start);1H")
        if !panel.hasRoom { await terminal.write(panel.excuse(in: snapshot.language) + "\n") }
        hadRoom = panel.hasRoom
        hasCleared.occur()
      }
      guard panel.hasRoom else { continue }
      let drawing = panel.lines(snapshot).enumerated().map { "\u{1B}[\($0.offset + 1);1H\u{1B}[2K\($0.element)" }
      await terminal.write("\u{1B}7\u{1B}[?25l\(drawing.joined())\u{1B}8\u{1B}[?25h")
      isMoving.store(snapshot.press != nil || snapshot.question != nil, ordering: .relaxed)
    }
    await gateway.panelIsDrawn(false)
    // The cursor stays below the output of the apps, and the panel with the last state stays above it.
    if hadRoom { await terminal.write("\u{1B}7\u{1B}[r\u{1B}8\r\n") }
  }

  /// Returns a stream with one element for each necessary drawing: after a change of the gateway, and after each `step`
  /// of a countdown or a held button.
  private func redraws() async -> AsyncStream<Void> {
    let (redraws, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = await gateway.changes()
    let reading = Task {
      for await _ in changes { continuation.yield() }
      continuation.finish()
    }
    let ticking = Task { [self] in
      while (try? await Task.sleep(for: Self.step)) != nil {
        if isMoving.load(ordering: .relaxed) { continuation.yield() }
      }
    }
    continuation.onTermination = { _ in
      reading.cancel()
      ticking.cancel()
    }
    return redraws
  }

  private func handle(_ key: UInt8) {
    switch key {
    case UInt8(ascii: " "): press(isHold: false)
    case UInt8(ascii: "h"), UInt8(ascii: "H"): press(isHold: true)
    case UInt8(ascii: "a"), UInt8(ascii: "A"): Task { await report { try await self.gateway.endPauses() } }
    case UInt8(ascii: "p") where offersPoints, UInt8(ascii: "P") where offersPoints:
      isPointsKeyPressed.store(true, ordering: .relaxed)
      kill(getpid(), SIGTERM)
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): kill(getpid(), SIGTERM)
    default: break
    }
  }

  /// Presses the simulated button. Further calls during the press are ignored, because a delayed press could answer a
  /// question that the user has not read.
  private func press(isHold: Bool) {
    guard isPressing.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    Task {
      await report { try await self.gateway.pressButton(isHold: isHold) }
      isPressing.store(false, ordering: .relaxed)
    }
  }

  /// Runs a closure, and prints the error of the closure.
  private func report(_ action: () async throws -> Void) async {
    do { try await action() } catch { printError("onefixd: \((error as? LineError)?.text ?? "\(error)")") }
  }
}
