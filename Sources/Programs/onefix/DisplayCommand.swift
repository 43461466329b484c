import ArgumentParser
import Display
import LineProtocol
import LinuxHardware
import OneFixClient
import OperatingSystem

struct DisplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "display", abstract: "Show the questions on the display of [display] in onefix.toml.",
    discussion: """
      Runs until a signal ends it. onefix-display@i2c-1.service runs this command for a display on /dev/i2c-1. The \
      display shows no position, and is off when there is nothing to say.

      Exit status: 1 no font, 128 + N after the signal N.
      """)

  @OptionGroup var socket: SocketOptions

  @Option(help: "The glyphs, in the .hex format of GNU Unifont.")
  var font = FontFile.standardPath

  @Flag(help: "Draw the frames in this terminal, without a display. The gateway does not count them as shown.")
  var terminal = false

  func run() async throws {
    let font: FontFile
    do throws(FontError) { font = try FontFile(path: self.font) } catch {
      printError("onefix: \(error)")
      throw ExitCode(1)
    }
    Interruption.watch()
    let isTerminal = terminal
    let program = DisplayProgram(
      owners: socket.apps.owners, font: font,
      open: { module in
        isTerminal
          ? TerminalOutput(height: module.height) as any DisplayOutput
          : ModuleOutput(module, try I2CDisplayPort(path: module.bus, address: module.address))
      },
      report: { report in
        switch report {
        case .opened(let bus): printError("onefix: display open on \(bus)")
        case .failed(let cause): printError("onefix: \(cause)")
        }
      }
    )
    let task = Task { await program.run() }
    // When the task is cancelled, `run` switches the display off and returns.
    try startThread {
      Interruption.wait()
      task.cancel()
    }
    await task.value
    if let signal = Interruption.signal { throw ExitCode(128 + signal) }
  }
}

/// A display that draws its pictures in the terminal, in place of real hardware.
private struct TerminalOutput: DisplayOutput {
  let height: Int

  var isAcknowledged: Bool { false }

  func show(_ picture: Picture?) {
    let lines = (picture ?? Picture(height: height)).blocks
    // Each frame covers the frame before it. (ECMA-48, CUP)
    // If the terminal is closed, a signal ends the program.
    try? printLine("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\n") + "\u{1B}[K")
  }
}
