import Configuration
import Hardware

/// A GPIO line that the board or a feature uses, with its purpose.
package struct LineUse: Hashable {
  var name: String
  var line: LineSpec
  var location: ConfigurationLocation
  /// Whether the GPIO line drives an LED of the indicator (the LED that shows each use of the location). Such an LED
  /// must go dark when the daemon releases the GPIO line.
  var isLight = false
}

extension Subject {
  var lineUses: [LineUse] {
    let wiring = board.wiring
    var uses = board.buttons.compactMap { button in
      wiring.buttons[button.name].map { use("button '\(button.name)'", $0, .button(button.name)) }
    }
    switch wiring.indicator {
    case .line(let line): uses.append(use("the indicator", line, .indicator(), isLight: true))
    case .rgbLines(let red, let green, let blue):
      for (colour, line) in [("red", red), ("green", green), ("blue", blue)] {
        uses.append(use("the indicator's \(colour)", line, .indicator(), isLight: true))
      }
    case .leds, nil: break
    }
    if let sense = wiring.sense { uses.append(use("the sense input", sense, .sense)) }
    if let power = board.receiverOptions.power { uses.append(use("the receiver's power", power, .receiverPower)) }
    return uses + features.flatMap(\.lineUses)
  }

  private func use(_ name: String, _ line: LineSpec, _ key: ConfigurationKey, isLight: Bool = false) -> LineUse {
    LineUse(name: name, line: line, location: board.location(of: key), isLight: isLight)
  }

  /// The errors about GPIO lines that the configuration uses for two purposes. Only lines with the same text in the
  /// configuration are compared here.
  var doubleLineFindings: [Finding] {
    var first: [String: LineUse] = [:]
    return lineUses.compactMap { use in
      // Two different texts can mean the same GPIO line. The check of the machine finds such a conflict.
      first.updateValue(use, forKey: use.line.description).map { doubleFinding(use, $0) }
    }
  }

  private func doubleFinding(_ use: LineUse, _ other: LineUse) -> Finding {
    finding(.lineTwice, use, ["other": other.name, "line": "\(use.line)"])
  }

  /// Returns the GPIO lines that no button, LED or feature may use, because the board needs them. Some of these lines
  /// are reserved only if the receiver or a feature uses an I2C bus.
  /// - Parameter machine: The machine, which knows other names of a bus, for example links that udev rules make; nil to
  ///   compare only the names in the configuration.
  private func reservedLines(on machine: Machine? = nil) -> [ReservedLine] {
    var buses = Set(features.flatMap(\.buses))
    if case .i2c(let path, _) = receiver { buses.insert(path) }
    if let machine { buses.formUnion(buses.map(machine.device)) }
    return board.reservedLines.filter { $0.bus.map(buses.contains) ?? true }
  }

  /// The errors about settings that use a GPIO line which the board reserves for another purpose.
  var reservedLineFindings: [Finding] {
    let reserved = reservedLines()
    return lineUses.compactMap { use in
      reserved.first { $0.isSame(use.line) }.map { reservedFinding($0, for: use) }
    }
  }

  private func reservedFinding(_ reserved: ReservedLine, for use: LineUse) -> Finding {
    finding(.lineReserved, use, ["other": reserved.use, "line": "\(use.line)"])
  }

  private func finding(
    _ fault: Fault, _ use: LineUse, _ values: [String: String], repairs: [Repair] = []
  ) -> Finding {
    Finding(
      fault, at: use.location, values.merging(["use": use.name]) { $1 }, repairs: repairs)
  }

  func lineFindings(on machine: Machine) -> [Finding] {
    let uses = lineUses
    guard !board.isSimulated, let first = uses.first else { return [] }
    let location = first.location
    let files = machine.chipFiles
    if files.isEmpty, machine.chips.isEmpty { return [Finding(.gpioAbsent, at: location)] }
    if let denied = files.first(where: { !$0.isOpen(to: machine.user, in: machine.accounts) }) {
      return [machine.deniedFinding(denied, at: location)]
    }
    if machine.chips.isEmpty {
      return [Finding(.gpioUnseen, at: location, ["path": files[0].path, "user": machine.user.name])]
    }
    let sandboxed = files.lazy.compactMap { machine.sandboxFinding($0, first.name, at: location) }.first
    return [sandboxed].compactMap(\.self)
      + uses.indices.flatMap { findings(for: uses[$0], after: uses[..<$0], on: machine) }
  }

  private func findings(for use: LineUse, after others: ArraySlice<LineUse>, on machine: Machine) -> [Finding] {
    let candidates = machine.candidates(for: use.line)
    let label = use.line.chip ?? ""
    guard !candidates.isEmpty else {
      let labels = Set(machine.chips.map(\.label)).sorted().joined(separator: ", ")
      return [finding(.chipAbsent, use, ["chip": label, "labels": labels])]
    }
    let found = candidates.flatMap { chip in chip.offsets(of: use.line.position).map { (chip: chip, offset: $0) } }
    guard let (chip, offset) = found.first else { return [finding(.lineAbsent, use, ["line": "\(use.line)"])] }
    guard found.count == 1 else {
      let matches = found.map { "\($0.chip.path):\($0.offset)" }.joined(separator: " and ")
      let values = ["chip": label, "position": "\(use.line.position)", "matches": matches]
      return [finding(use.line.chip == nil ? .lineAmbiguous : .chipAmbiguous, use, values)]
    }
    let double = others.first { $0.line.description != use.line.description && machine.has($0.line, chip, offset) }
    return [
      double.map { doubleFinding(use, $0) }, reservation(of: use, chip, offset, on: machine),
      occupation(of: use, chip, offset), persistence(of: use, chip, on: machine),
    ].compactMap(\.self)
  }

  /// Returns an error if a setting uses a reserved GPIO line that the configuration alone does not show, because the
  /// line or its I2C bus has another name there; otherwise nil.
  private func reservation(of use: LineUse, _ chip: Machine.Chip, _ offset: Int, on machine: Machine) -> Finding? {
    guard !reservedLines().contains(where: { $0.isSame(use.line) }) else { return nil }
    let reserved = reservedLines(on: machine).first { machine.has($0.line, chip, offset) }
    return reserved.map { reservedFinding($0, for: use) }
  }

  private func occupation(of use: LineUse, _ chip: Machine.Chip, _ offset: Int) -> Finding? {
    chip.lines[offset].consumer.map { consumer in
      finding(
        consumer == Machine.consumer ? .lineHeld : .lineBusy, use,
        ["line": "\(chip.path):\(offset) (\(use.line))", "consumer": consumer])
    }
  }

  private func persistence(of use: LineUse, _ chip: Machine.Chip, on machine: Machine) -> Finding? {
    guard use.isLight, machine.persistentPins.contains(where: { chip.label.hasPrefix($0) }) else { return nil }
    return finding(.indicatorPersists, use, [:], repairs: [.boot("dtparam=strict_gpiod")])
  }
}

extension Machine.Chip {
  func offsets(of position: LineSpec.Position) -> [Int] {
    switch position {
    case .name(let name): lines.indices.filter { lines[$0].name == name }
    case .offset(let offset): Int(offset) < lines.count ? [Int(offset)] : []
    }
  }
}

extension Machine {
  /// Returns the GPIO chips with the configured label; all chips if the setting has no label.
  fileprivate func candidates(for line: LineSpec) -> [Chip] {
    line.chip.map { label in chips.filter { $0.label == label } } ?? chips
  }

  /// Whether the setting of a GPIO line matches the line with the number `offset` on a chip.
  fileprivate func has(_ line: LineSpec, _ chip: Chip, _ offset: Int) -> Bool {
    candidates(for: line).contains(chip) && chip.offsets(of: line.position).contains(offset)
  }

  /// The consumer name in the daemon's requests for GPIO lines, which the kernel shows to other programs.
  static let consumer = "onefix"

  fileprivate func deniedFinding(_ chip: DeviceFile, at location: ConfigurationLocation) -> Finding {
    let group = accounts.groupName(chip.group)
    let isGrouped = chip.group != 0 && chip.mode >> 3 & 0o6 == 0o6
    return Finding(
      isGrouped ? .gpioDenied : .gpioUngrouped, at: location,
      ["user": user.name, "path": chip.path, "group": group, "rule": Repair.sharingRule(chip: chip.name)],
      repairs: [isGrouped ? .join(group: group) : .share(chip: chip.name)])
  }
}
