package import Hardware
import Synchronization

/// An LED on a GPIO line, or an LED with one GPIO line for each colour.
///
/// `init` requests the GPIO lines and switches the LED off. After a GPIO chip was removed, each call locates the GPIO
/// lines, because the chip may return with a different number.
package final class GPIOIndicator: IndicatorOutput {
  private struct Component {
    let spec: LineSpec
    var line: LineBox?
  }

  /// The GPIO lines of the LED that the configured colour needs.
  private let components: Mutex<[Component]>
  private let senseLine: SenseLine?

  package init(line: LineSpec, sense: LineSpec?) throws(HardwareError) {
    components = Mutex([Component(spec: line)])
    senseLine = sense.map(SenseLine.init)
    try open()
  }

  /// Creates an indicator with a GPIO line for each colour. The lit indicator uses a GPIO line if the component of
  /// `colour` for this GPIO line is at least half as strong as the strongest component.
  package init(
    red: LineSpec, green: LineSpec, blue: LineSpec, colour: Colour, sense: LineSpec?
  ) throws(HardwareError) {
    let lines = [(red, colour.red), (green, colour.green), (blue, colour.blue)]
    let strongest = max(colour.red, colour.green, colour.blue, 1)
    components = Mutex(lines.filter { Int($0.1) * 2 >= Int(strongest) }.map { Component(spec: $0.0) })
    senseLine = sense.map(SenseLine.init)
    try open()
  }

  package func drive(_ isLit: Bool) throws {
    try components.withLock { components in
      for index in components.indices {
        do {
          if components[index].line == nil { components[index].line = try Self.request(components[index].spec) }
          try components[index].line?.line.set(isLit)
        } catch {
          components[index].line = nil
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

/// A reference to a GPIO line. The reference can be copied, and a `GPIOLine` cannot.
final class LineBox: Sendable {
  let line: GPIOLine

  init(_ line: consuming GPIOLine) { self.line = line }
}

/// An input that detects whether the indicator is lit. After a GPIO chip was removed, the next call locates the GPIO
/// line.
final class SenseLine: Sendable {
  private let spec: LineSpec
  private let line = Mutex<LineBox?>(nil)

  init(_ spec: LineSpec) { self.spec = spec }

  func isActive() throws -> Bool {
    try line.withLock { line in
      do {
        let box = try line ?? LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .input))
        line = box
        return try box.line.isActive()
      } catch {
        line = nil
        throw error
      }
    }
  }
}
