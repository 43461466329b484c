import CGpiod
package import Hardware
import OperatingSystem

package struct GPIOChip: Hashable, Sendable {
  package var path: String
  /// The kernel's name of the GPIO chip, for example `gpiochip0`. `path` can be a symbolic link with another name.
  package var name: String
  /// The label of the GPIO chip, for example `pinctrl-bcm2711`.
  package var label: String
  package var lines: [Line]

  package struct Line: Hashable, Sendable {
    /// The name of the GPIO line; empty if the GPIO line has no name.
    package var name: String
    /// The program or driver that uses the GPIO line; nil if the GPIO line is free.
    package var consumer: String?
  }
}

/// A GPIO line that matches the configuration, with its GPIO chip and its index on this machine.
package struct LineLocation: Hashable, Sendable, CustomStringConvertible {
  package var path: String
  package var offset: UInt32
  package var spec: LineSpec
  /// The program or driver that used the GPIO line at the time of the search; nil if the GPIO line was free.
  package var consumer: String?

  /// A text with the chip, the index and the configuration of the GPIO line, for example `gpiochip0:17
  /// (pinctrl-bcm2711:GPIO17)`.
  package var description: String { "\(path.split(separator: "/").last ?? ""):\(offset) (\(spec))" }
}

package struct GPIOChips: Sendable {
  package let chips: [GPIOChip]

  package init(chips: [GPIOChip]) { self.chips = chips }

  /// Returns the GPIO chips whose files `/dev/gpiochip*` can be opened.
  ///
  /// - Throws: `HardwareError` if no GPIO chip can be opened.
  package static func present() throws(HardwareError) -> GPIOChips {
    let paths = Folder.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }.map { "/dev/\($0)" }
    var chips: [GPIOChip] = []
    var refusal: HardwareError?
    for path in paths {
      do { chips.append(try chip(path)) } catch { refusal = error }
    }
    if chips.isEmpty {
      throw refusal
        ?? HardwareError(
          .absent, "find", "a GPIO chip", cause: "there is no /dev/gpiochip*",
          remedy: "does the kernel have GPIO for this board? --board simulated needs none")
    }
    return GPIOChips(chips: distinct(chips))
  }

  /// Returns the GPIO chips without duplicates. Two entries with the same kernel name are the same chip: Raspberry Pi
  /// OS, for example, has a symbolic link `/dev/gpiochip4` to `gpiochip0`.
  static func distinct(_ found: [GPIOChip]) -> [GPIOChip] {
    var chips: [GPIOChip] = []
    for chip in found {
      guard let index = chips.firstIndex(where: { $0.name == chip.name }) else {
        chips.append(chip)
        continue
      }
      if chip.path == "/dev/\(chip.name)" { chips[index] = chip }
    }
    return chips
  }

  /// Finds a configured GPIO line by the label of its GPIO chip, and by its own name or index.
  ///
  /// - Throws: `HardwareError` if no GPIO line, or more than one GPIO line, matches.
  package func locate(_ spec: LineSpec) throws(HardwareError) -> LineLocation {
    let candidates = spec.chip.map { label in chips.filter { $0.label == label } } ?? chips
    guard !candidates.isEmpty else {
      let labels = Set(chips.map(\.label)).sorted().joined(separator: ", ")
      throw HardwareError(
        .absent, "find", "GPIO line \(spec)", cause: "no chip has the label '\(spec.chip ?? "")'",
        remedy: "this machine has: \(labels)")
    }
    let found = candidates.flatMap { chip in
      offsets(of: spec.position, in: chip).map { offset in
        LineLocation(
          path: chip.path, offset: UInt32(offset), spec: spec, consumer: chip.lines[offset].consumer)
      }
    }
    guard let line = found.first else {
      throw HardwareError(
        .absent, "find", "GPIO line \(spec)", cause: "no chip has this line",
        remedy: "gpioinfo shows the names of all lines")
    }
    guard found.count == 1 else {
      let matches = found.map(\.description).joined(separator: ", ")
      throw HardwareError(
        .unsuitable, "find", "GPIO line \(spec)", cause: "it is ambiguous: \(matches)",
        remedy: spec.chip == nil ? "add 'chip' with the chip's label" : "use a name that only one chip has")
    }
    return line
  }

  private func offsets(of position: LineSpec.Position, in chip: GPIOChip) -> [Int] {
    switch position {
    case .name(let name): chip.lines.indices.filter { chip.lines[$0].name == name }
    case .offset(let offset): Int(offset) < chip.lines.count ? [Int(offset)] : []
    }
  }

  private static func chip(_ path: String) throws(HardwareError) -> GPIOChip {
    var described = onefix_gpio_chip()
    let result = unsafe onefix_gpio_describe_chip(path, &described)
    guard result >= 0 else { throw GPIOLine.refusal("open", path, -result) }
    // The C function writes at most `described.lines` elements, the size of the array.
    var infos = [onefix_gpio_line_info](repeating: onefix_gpio_line_info(), count: Int(described.lines))
    let count = unsafe onefix_gpio_describe_lines(path, &infos, described.lines)
    guard count >= 0 else { throw GPIOLine.refusal("read", path, -count) }
    let lines = infos.prefix(Int(count)).map { info in
      let consumer = text(of: info.consumer)
      return GPIOChip.Line(
        name: text(of: info.name),
        consumer: info.is_used == 0 ? nil : consumer.isEmpty ? "the kernel" : consumer)
    }
    return GPIOChip(path: path, name: text(of: described.name), label: text(of: described.label), lines: lines)
  }

  /// Returns the text in a zero-terminated C array.
  private static func text<Characters>(of characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
