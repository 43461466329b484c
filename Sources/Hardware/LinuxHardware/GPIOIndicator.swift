package import Hardware
import Synchronization

/// An LED on a GPIO line, or one with a line for each colour.
///
/// The lines are held from `init`, dark. Where the chip goes, driving fails; the lines are looked for again each time
/// that it is tried, since a chip that comes back has another number.
package final class GPIOIndicator: IndicatorOutput {
  private struct Lamp {
    let spec: LineSpec
    var line: LineBox?
  }

  /// Only those that the colour lights.
  private let lamps: Mutex<[Lamp]>
  private let senseLine: SenseLine?

  /// - Throws: `HardwareError` where a line cannot be had.
  package init(line: LineSpec, sense: LineSpec?) throws(HardwareError) {
    lamps = Mutex([Lamp(spec: line)])
    senseLine = sense.map(SenseLine.init)
    try open()
  }

  /// - Parameter colour: a colour component is lit where it is at least half of the strongest one.
  /// - Throws: `HardwareError` where a line cannot be had.
  package init(
    red: LineSpec, green: LineSpec, blue: LineSpec, colour: Colour, sense: LineSpec?
  ) throws(HardwareError) {
    let components = [(red, colour.red), (green, colour.green), (blue, colour.blue)]
    let strongest = max(colour.red, colour.green, colour.blue, 1)
    lamps = Mutex(components.filter { Int($0.1) * 2 >= Int(strongest) }.map { Lamp(spec: $0.0) })
    senseLine = sense.map(SenseLine.init)
    try open()
  }

  package func drive(_ isLit: Bool) throws {
    try lamps.withLock { lamps in
      for index in lamps.indices {
        do {
          if lamps[index].line == nil { lamps[index].line = try Self.request(lamps[index].spec) }
          try lamps[index].line?.line.set(isLit)
        } catch {
          lamps[index].line = nil
          throw error
        }
      }
    }
  }

  package func sense() throws -> Bool? { try senseLine?.isActive() }

  private func open() throws(HardwareError) {
    do {
      try drive(false)
      _ = try sense()
    } catch let error as HardwareError {
      throw error
    } catch {
      throw HardwareError(.failed, "drive", "the indicator", cause: "\(error)")
    }
  }

  private static func request(_ spec: LineSpec) throws(HardwareError) -> LineBox {
    LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .output(isActive: false)))
  }
}

/// A line in a place where values are copied.
final class LineBox: Sendable {
  let line: GPIOLine

  init(_ line: consuming GPIOLine) { self.line = line }
}

/// An input that sees whether the light is on, looked for again where its chip has gone.
final class SenseLine: Sendable {
  private let spec: LineSpec
  private let held = Mutex<LineBox?>(nil)

  init(_ spec: LineSpec) { self.spec = spec }

  func isActive() throws -> Bool {
    try held.withLock { held in
      do {
        let box = try held ?? LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .input))
        held = box
        return try box.line.isActive()
      } catch {
        held = nil
        throw error
      }
    }
  }
}

/// A receiver's supply on a GPIO line.
package final class GPIOPowerSwitch: PowerSwitch {
  private let spec: LineSpec
  private let held = Mutex<LineBox?>(nil)

  /// Off from the first moment.
  /// - Throws: `HardwareError` where the line cannot be had.
  package init(_ spec: LineSpec) throws(HardwareError) {
    self.spec = spec
    let line = try GPIOLine(try GPIOChips.present().locate(spec), for: .output(isActive: false))
    let box = LineBox(line)
    held.withLock { $0 = box }
  }

  package func set(isOn: Bool) throws {
    try held.withLock { held in
      do {
        let box = try held ?? LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .output(isActive: isOn)))
        held = box
        try box.line.set(isOn)
      } catch {
        held = nil
        throw error
      }
    }
  }
}
