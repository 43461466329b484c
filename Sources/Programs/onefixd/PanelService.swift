import Features
import Gateway
import Glibc
import LineProtocol
import Synchronization

/// Shows the simulated board in the terminal, above the scrolling output. A key presses the simulated button. The daemon
/// ends when the terminal is closed.
final class PanelService: Service {
  private let gateway: Gateway
  private let isPressing = Atomic<Bool>(false)

  init(gateway: Gateway) { self.gateway = gateway }

  func run(until stop: OneTimeEvent) async {
    guard let terminal = Terminal() else { return await stop.wait() }
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
    var size = (rows: 0, columns: 0)
    for await _ in await gateway.changes() {
      let present = terminal.size
      let hasRoom = present.rows > Panel.height + 3
      // A question on a narrow panel counts as not shown, because a shortened app name could mislead the user.
      await gateway.panelIsDrawn(hasRoom && present.columns >= Panel.width)
      guard hasRoom else { continue }
      if present != size {
        size = present
        // Only the rows below the panel scroll.
        await terminal.write("\u{1B}[2J\u{1B}[\(Panel.height + 1);\(size.rows)r\u{1B}[\(Panel.height + 1);1H")
      }
      let lines = Panel(columns: size.columns).lines(await gateway.snapshot(entries: Panel.entries))
      let drawing = lines.enumerated().map { "\u{1B}[\($0.offset + 1);1H\u{1B}[2K\($0.element)" }.joined()
      await terminal.write("\u{1B}7\u{1B}[?25l\(drawing)\u{1B}8\u{1B}[?25h")
    }
    await gateway.panelIsDrawn(false)
    await terminal.write("\u{1B}[r\u{1B}[\(size.rows);1H\n")
  }

  private func handle(_ key: UInt8) {
    switch key {
    case UInt8(ascii: " "): press(isHold: false)
    case UInt8(ascii: "h"), UInt8(ascii: "H"): press(isHold: true)
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): kill(getpid(), SIGTERM)
    default: break
    }
  }

  /// Presses the simulated button. Further keys have no effect during the press, because a delayed press could answer
  /// an unread question.
  private func press(isHold: Bool) {
    guard isPressing.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    Task {
      await tryPress(isHold: isHold)
      isPressing.store(false, ordering: .relaxed)
    }
  }

  private func tryPress(isHold: Bool) async {
    do {
      try await gateway.pressButton(isHold: isHold)
    } catch let error as LineError {
      printError("onefixd: \(error.text)")
    } catch {
      printError("onefixd: \(error)")
    }
  }
}
