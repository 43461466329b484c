package import Hardware
import Synchronization

/// The indicator (an LED that shows whether apps use the location) on one GPIO line, or on a GPIO line for each of
/// three colours.
///
/// `init` requests the GPIO lines and switches the LED off. After a failure, each call searches for the GPIO lines
/// again, because a removed GPIO chip may return with a different number.
package final class GPIOIndicator: IndicatorOutput {
  private struct Component {
    let spec: LineSpec
    var line: LineBox?
  }

  /// The GPIO lines of the LED. Of a three-colour LED, the array contains only the lines that the configured colour
  /// needs.
  private let components: Mutex<[Component]>
  private let senseLine: SenseLine?

  package init(line: LineSpec, sense: LineSpec?) throws(HardwareError) {
    components = Mutex([Component(spec: line)])
    senseLine = sense.map(SenseLine.init)
    try open()
  }

  /// Creates an indicator with a GPIO line for each of three colours. The indicator uses only the main colours of
  /// `colour`: a colour with less than half of the value of the strongest colour stays dark.
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

/// A reference to a `GPIOLine`, which is a noncopyable type. Several objects can therefore share the GPIO line.
final class LineBox: Sendable {
  let line: GPIOLine

  init(_ line: consuming GPIOLine) { self.line = line }
}

/// A GPIO input that senses whether the LED is lit. After a failure, the next call searches for the GPIO line again.
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
