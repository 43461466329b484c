import Configuration
import Gateway
import Glibc
import Hardware
import LinuxHardware
import Logging
import OperatingSystem
import SimulatedHardware

/// The hardware of a board: the buttons, the indicator LED, and the power switch of the GNSS receiver.
struct BoardHardware {
  let buttons: [GatewayDependencies.Button]
  let indicator: any IndicatorOutput
  let receiverPower: (any PowerSwitch)?

  /// Requests the GPIO lines, and switches the indicator LED off.
  /// - Throws: `HardwareError` if the indicator cannot be used.
  init(_ board: Board, realtime: Realtime, logger: Logger) throws {
    if board.isSimulated {
      (buttons, indicator) = Self.simulated(board)
      receiverPower = nil
      return
    }
    indicator = try Self.indicator(of: board)
    receiverPower = try board.receiverOptions.power.map { try GPIOPowerSwitch($0) }
    let reader = try EdgeReader(priority: realtime.priority, logger: logger)
    buttons = board.buttons.compactMap { profile in
      board.wiring.buttons[profile.name].map { line in
        GatewayDependencies.Button(
          profile: profile, input: GPIOButton(line, quiet: profile.timing.quiet, reader: reader))
      }
    }
  }

  private static func simulated(_ board: Board) -> ([GatewayDependencies.Button], any IndicatorOutput) {
    let indicator = SimulatedIndicator()
    if board.indicator == nil { indicator.fault = .refusing(missing(board)) }
    let buttons = board.buttons.map { profile in
      let button = SimulatedButton()
      return GatewayDependencies.Button(profile: profile, input: button, press: { await button.press(for: $0) })
    }
    return (buttons, indicator)
  }

  private static func indicator(of board: Board) throws -> any IndicatorOutput {
    let sense = board.wiring.sense
    guard let profile = board.indicator, let wiring = board.wiring.indicator else {
      return AbsentIndicator(error: missing(board))
    }
    switch wiring {
    case .line(let line): return try GPIOIndicator(line: line, sense: sense)
    case .rgbLines(let red, let green, let blue):
      return try GPIOIndicator(red: red, green: green, blue: blue, colour: profile.colour, sense: sense)
    case .leds(let names): return try LEDIndicator(names: names, profile: profile, sense: sense)
    }
  }

  private static func missing(_ board: Board) -> HardwareError {
    HardwareError(.absent, "drive", "the indicator", cause: "board '\(board.name)' has none")
  }
}

/// The indicator output of a board without its LED. Each write fails, so that the gateway sends no location.
private struct AbsentIndicator: IndicatorOutput {
  let error: HardwareError

  func drive(_ isLit: Bool) throws { throw error }
  func sense() throws -> Bool? { nil }
}

enum MemoryLock {
  /// Locks the memory of the daemon, so that the kernel does not swap the memory to the disk. A failure is only logged.
  static func lock(_ logger: Logger) {
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    // If the amount of locked memory is limited, only the memory that is already allocated is locked. If later memory
    // were locked too, later allocations could fail.
    let isUnlimited = limit.rlim_cur == rlim_t.max || geteuid() == 0
    let flags = MCL_CURRENT | (isUnlimited ? MCL_FUTURE | Int32(MCL_ONFAULT) : 0)
    guard mlockall(Int32(flags)) != 0 else { return }
    let cause = systemErrorText(errno)
    logger.warning(
      "cannot lock the memory", metadata: ["cause": "\(cause)", "remedy": "LimitMEMLOCK=infinity in the unit"])
  }
}
