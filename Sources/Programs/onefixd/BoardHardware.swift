import Configuration
import Gateway
import Glibc
import Hardware
import LinuxHardware
import Logging
import SimulatedHardware
import OperatingSystem

/// The buttons, the indicator and the receiver's supply of a board.
struct BoardHardware {
  let buttons: [GatewayDependencies.Button]
  let indicator: any IndicatorOutput
  /// Nil where the receiver is always on.
  let receiverPower: (any PowerSwitch)?

  /// The indicator's lines are held, dark, when this returns; buttons are once they are run.
  /// - Throws: `HardwareError` where the indicator cannot be had.
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

/// The indicator of a board that has none: it cannot be driven, and so nothing is granted.
private struct AbsentIndicator: IndicatorOutput {
  let error: HardwareError

  func drive(_ isLit: Bool) throws { throw error }
  func sense() throws -> Bool? { nil }
}

/// Keeps the daemon's memory out of swap.
enum MemoryLock {
  /// What is not permitted is logged, and the daemon goes on without it.
  static func take(_ logger: Logger) {
    var limit = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    // Under a limit, locking what is to come would make allocations fail later.
    let isUnlimited = limit.rlim_cur == rlim_t.max || geteuid() == 0
    let flags = MCL_CURRENT | (isUnlimited ? MCL_FUTURE | Int32(MCL_ONFAULT) : 0)
    guard mlockall(Int32(flags)) != 0 else { return }
    let cause = systemErrorText(errno)
    logger.warning(
      "memory is not locked", metadata: ["cause": "\(cause)", "remedy": "LimitMEMLOCK=infinity in the unit"])
  }
}
